//! The MCP server: implements the methods of the protocol with the other modules.
#![allow(
    deprecated,
    reason = "clients of today still have logging and resources/subscribe; later versions of MCP drop them"
)]

use std::cell::RefCell;
use std::rc::Rc;

use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode as RpcCode, Implementation, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use serde_json::Value;
use tokio::sync::mpsc;

use super::call::{Call, Outcome};
use super::caller::Caller;
use super::compat::macos_shell::Shared;
use super::completions::Completions;
use super::elicitation::{self, Asked, Forms};
use super::own::catalog;
use super::own::screens::Screens;
use super::toolset::ToolSet;
use super::updates::{Sink, Updates};
use super::{Offer, arguments, progress, resources};
use crate::protocol::{Error, ErrorCode, Event, VERSION};

/// The methods that are served. `rmcp` takes a request of one of them with wrong parameters for one of an unknown
/// method.
const METHODS: [&str; 9] = [
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "logging/setLevel",
];

/// The server of one client.
#[derive(Debug)]
pub struct Server {
    caller: Caller,
    set: ToolSet,
    tools: Vec<Tool>,
    /// Whether results have data beside their text.
    has_data: bool,
    /// Whether the client is offered only what reads.
    is_read_only: bool,
    /// The forms that people fill in, if the client may be asked for that.
    forms: Option<Forms>,
    completions: Rc<Completions>,
    shared: Shared,
    screens: Screens,
    updates: Rc<Updates>,
    /// Events of the daemon, until [`Server::meet`] or [`Server::watch`] takes them.
    events: RefCell<Option<mpsc::Receiver<Event>>>,
}

impl Server {
    /// A server for what is offered.
    pub fn new(caller: Caller, events: mpsc::Receiver<Event>, offer: Offer) -> Self {
        let set = offer.tools;
        let has_data = set.has_data(offer.structured);
        let mut tools = set.tools();
        if !has_data {
            tools.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        Self {
            caller,
            set,
            tools,
            has_data,
            forms: (set == ToolSet::Own && offer.elicitation).then(Forms::default),
            is_read_only: offer.read_only,
            completions: Rc::default(),
            shared: Shared::default(),
            screens: Screens::default(),
            updates: Rc::default(),
            events: RefCell::new(Some(events)),
        }
    }

    /// Whether a tool is in the list that clients get: of a server that only looks, those that read, and those that
    /// have an action that does.
    fn offers(&self, tool: &Tool) -> bool {
        let reads = |tool: &Tool| tool.annotations.as_ref()?.read_only_hint;
        !self.is_read_only || reads(tool) == Some(true) || has_reading_action(tool)
    }

    /// Starts to report endings to the client, if its tools need that. Later calls do nothing.
    fn meet(&self, peer: &Peer<RoleServer>) {
        if self.set != ToolSet::Duragent {
            return;
        }
        if let Some(events) = self.events.borrow_mut().take() {
            let (caller, completions) = (self.caller.clone(), self.completions.clone());
            let peer = peer.clone();
            tokio::task::spawn_local(async move { completions.tell(caller, events, peer).await });
        }
    }

    /// Subscribes to a resource.
    async fn watch(&self, uri: &str, sink: Sink) -> Result<(), ErrorData> {
        if let Some(events) = self.events.borrow_mut().take() {
            tokio::task::spawn_local(self.updates.clone().tell(events));
        }
        let subscribed = self.updates.subscribe(&self.caller, uri, sink).await;
        subscribed.map_err(|error| resources::failed(error, uri))
    }

    async fn run(
        &self,
        tool: &Tool,
        call: &Call,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Asked, Error> {
        if let Some(forms) = &self.forms
            && let Some(way) = elicitation::way(&request, context)
        {
            self.screens.clear();
            return forms.ask(call, request, way, &context.peer).await;
        }
        self.answer(tool, call, request).await.map(Asked::Done)
    }

    async fn answer(&self, tool: &Tool, call: &Call, request: CallToolRequestParams) -> Outcome {
        let mut given = request.arguments.unwrap_or_default();
        // The daemon checks the arguments of bgproc's own tools, with better error messages.
        if self.set != ToolSet::Own {
            given = arguments::check(&tool.input_schema, given)?;
        }
        self.set
            .call(
                call,
                &self.completions,
                &self.shared,
                &self.screens,
                &tool.name,
                given,
            )
            .await
    }
}

/// Whether some of the actions that a tool takes only read.
fn has_reading_action(tool: &Tool) -> bool {
    let action = tool.input_schema.get("properties");
    let actions = action.and_then(|properties| properties["action"]["enum"].as_array());
    let reads = |action: &Value| ["list", "status"].iter().any(|reads| action == reads);
    actions.is_some_and(|actions| actions.iter().any(reads))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut can = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        // The tools of Duragent use the events themselves.
        if self.set == ToolSet::Duragent {
            can.logging = Some(Default::default());
        } else if let Some(resources) = &mut can.resources {
            resources.subscribe = Some(true);
        }
        let mut info = ServerConfig::new(can).with_instructions(self.set.instructions());
        info.server_info = Implementation::new("bgproc", VERSION);
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A client that is initialized gets all messages until it sets a level.
        self.completions.set_level(LoggingLevel::Debug);
        self.screens.clear();
        self.meet(&context.peer);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.completions.set_level(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().filter(|tool| self.offers(tool));
        Ok(ListToolsResult::with_all_items(tools.cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&request.name) else {
            let message = match self.set == ToolSet::Own && catalog::RARE.contains(&&*request.name)
            {
                true => format!(
                    "Unknown tool: {0}; it is an action of `session`: {{\"action\":\"{0}\"}}",
                    request.name
                ),
                false if self.set == ToolSet::Own && request.name == "read" => {
                    "Unknown tool: read; `poll` returns new output, `log` any part of it".to_owned()
                }
                false if self.set == ToolSet::Own => format!(
                    "Unknown tool: {}; `start` runs a command, `exec` one in a shell that a session runs",
                    request.name
                ),
                false => format!("Unknown tool: {}", request.name),
            };
            return Err(ErrorData::invalid_params(message, None));
        };
        // A client that is not initialized sets the level with each call.
        if let Some(level) = context.meta.log_level() {
            self.completions.set_level(level);
        }
        self.meet(&context.peer);
        let call = Call::new(self.caller.clone());
        let progress = async {
            if let Some(token) = context.meta.get_progress_token() {
                progress::tell(context.peer.clone(), token, call.clone()).await;
            }
            std::future::pending().await
        };
        // Dropping a future here also cancels its request at the daemon.
        let outcome = tokio::select! {
            outcome = self.run(&tool, &call, request, &context) => outcome,
            () = context.ct.cancelled() => Err(Error::new(ErrorCode::Cancelled, "The call was cancelled")),
            () = progress => Err(Error::internal("the progress task of a call has ended")),
        };
        let mut done = match outcome {
            Ok(Asked::Done(done)) => done,
            Ok(Asked::Form(form)) => return Ok(form.into()),
            Err(error) => self.set.failed(&error),
        };
        if !self.has_data {
            done.structured = None;
        }
        Ok(CallToolResult::from(done).into())
    }

    /// A request that `rmcp` cannot read: of an unknown method, or without the right parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if !METHODS.contains(&method.as_str()) {
            let message = format!("Unknown method: {method}");
            return Err(ErrorData::new(RpcCode::METHOD_NOT_FOUND, message, None));
        }
        let example = match method.as_str() {
            "tools/call" => r#"; for example {"name":"start","arguments":{"command":"make test"}}"#,
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                r#"; for example {"uri":"bgproc://session/ID/log"}"#
            }
            _ => "",
        };
        let message = format!("The parameters of {method} are missing or wrong{example}");
        Err(ErrorData::invalid_params(message, None))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&Call::new(self.caller.clone())).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let call = Call::new(self.caller.clone());
        Ok(resources::read(&call, &request.uri).await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.set == ToolSet::Duragent {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        self.watch(&request.uri, Sink::Peer(context.peer)).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let ends = |uri: &str, sink: &Sink| uri == request.uri && matches!(sink, Sink::Peer(_));
        self.updates.unsubscribe(&self.caller, ends).await;
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // `rmcp` reduces it to the capabilities of the server.
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| resources::session(uri).is_some());
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            // The subscription is acknowledged already, so a session that is gone just has no changes.
            let _ = self.watch(uri, Sink::Listener(sink.clone())).await;
        }
        context.cancelled().await;
        let ends =
            |_: &str, other: &Sink| matches!(other, Sink::Listener(it) if it.id() == sink.id());
        self.updates.unsubscribe(&self.caller, ends).await;
        Ok(())
    }
}
