//! `tag`: gives jobs tags, and takes them away.

use clap::Args;

use super::group::set;
use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::cli::value::name::parse_name;
use crate::protocol::params::Set;
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Tag {
    /// The job, or several: g:GROUP, +TAG, a pattern in quotes
    #[arg(value_name = "JOB")]
    job: String,
    /// TAG or +TAG adds a tag, -TAG removes it; without any, the tags are printed
    #[arg(value_name = "TAG", allow_hyphen_values = true)]
    tags: Vec<String>,
    /// Remove this tag; can be given several times
    #[arg(long, value_name = "TAG")]
    remove: Vec<String>,
}

impl Tag {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let (add, remove) = changes(&self.tags, &self.remove).map_err(Failure::Usage)?;
        if add.is_empty() && remove.is_empty() {
            return print(ctx, &self.job);
        }
        set(ctx, std::slice::from_ref(&self.job), |session_id| Set {
            session_id,
            add_tags: Some(add.clone()).filter(|tags| !tags.is_empty()),
            remove_tags: Some(remove.clone()).filter(|tags| !tags.is_empty()),
            ..Set::default()
        })
    }
}

/// The tags to add, and those to remove.
fn changes(words: &[String], remove: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut add, mut gone) = (Vec::new(), Vec::new());
    for word in words {
        if word.starts_with("--") {
            return Err(format!("{word} is an option: write it before the job"));
        }
        match word.strip_prefix('-') {
            Some(tag) => gone.push(parse_name(tag)?),
            None => add.push(parse_name(word.strip_prefix('+').unwrap_or(word))?),
        }
    }
    for word in remove {
        gone.push(parse_name(word.strip_prefix('+').unwrap_or(word))?);
    }
    match add.iter().find(|tag| gone.contains(tag)) {
        Some(tag) => Err(format!("{tag} is both added and removed")),
        None => Ok((add, gone)),
    }
}

/// Prints the tags of jobs.
fn print(ctx: &mut Context, target: &str) -> Result<Exit, Failure> {
    let found = ctx.many(&[target.to_owned()], Among::Any)?;
    for job in &found.jobs {
        if ctx.json {
            ctx.out.json(job)?;
            continue;
        }
        let tags = job.summary.tags.iter();
        let tags: Vec<String> = tags.map(|tag| format!("+{}", clean(tag))).collect();
        let line = format!("{}  {}", words::name(&job.summary), tags.join(" "));
        ctx.out.line(line.trim_end())?;
    }
    Ok(found.exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_add_and_remove() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let (add, gone): (Vec<String>, Vec<String>) = (words(&["a", "b"]), words(&["c", "d"]));
        let said: Vec<String> = words(&["a", "+b", "-c"]);
        assert_eq!(changes(&said, &words(&["d"])), Ok((add, gone)));
        for wrong in [
            &["+a", "-a"][..],
            &["a b/c"],
            &["+"],
            &["-"],
            &["g:x"],
            &["a*"],
        ] {
            assert!(changes(&words(wrong), &[]).is_err(), "{wrong:?}");
        }
    }
}
