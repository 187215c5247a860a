//! Tests of the arguments that are refused, and of those that are not.

use super::*;

fn found(line: &str) -> Option<String> {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let program = words.next().unwrap_or_default();
    let arguments: Vec<Argument> = words
        .map(|word| Argument::plain(word.replace('_', " ")))
        .collect();
    starting(program, &arguments)
}

#[test]
fn finds_arguments_that_start_programs() {
    for line in [
        "git -c core.pager=evil log",
        "git -ccore.pager=evil log",
        "git -c alias.x=!evil x",
        "git --config-env=core.pager=X log",
        "git --exec-path=/tmp status",
        "git clone --upload-pack=evil x",
        "git clone --upload-p evil x",
        "git clone -u evil x",
        "git clone ext::sh_-c_evil",
        "git push --receive-pack=evil",
        "git rebase -x evil HEAD~1",
        "git rebase --exec evil HEAD~1",
        "git -C /x bisect run evil",
        "git submodule foreach evil",
        "git grep -Oevil x",
        "git config alias.x !evil",
        "git config core.pager evil get",
        "git config core.pager --get",
        "git config --type --get core.pager evil",
        "git config --comment --get core.pager evil",
        "git -p log",
        "/usr/bin/git difftool -x evil",
        "ssh -o ProxyCommand=evil host",
        "ssh -oProxyCommand=evil host",
        "ssh -vo proxycommand=evil host",
        "ssh -F /tmp/config host",
        "ssh host -o LocalCommand=evil",
        "scp -S evil a host:b",
        "rsync -e evil a host:b",
        "rsync -ave evil a host:b",
        "rsync --rsh=evil a host:b",
        "tar -xf a --checkpoint=1 --checkpoint-action=exec=evil",
        "tar -xf a --to-command evil",
        "tar -I evil -xf a",
        "tar xIf evil a",
        "tar cfI a.tar evil f",
        "git clone -qu evil x",
        "git rebase -fx evil HEAD~1",
        "git grep -nOevil x",
        "git --attr-source HEAD -c alias.x=!evil x",
        "ssh -o \"ProxyCommand\"_evil host",
        "ssh -o =ProxyCommand=evil host",
        "zip -T -TTevil a",
        "zip -TT evil a",
        "zip -rTTevil a b",
        "tar -xf a --use-comp=evil",
        "find . -exec evil ;",
        "find . -name x -okdir evil ;",
        "fd -x evil",
        "rg --pre=evil x",
        "sort --compress-prog evil x",
    ] {
        assert!(found(line).is_some(), "{line}");
    }
}

#[test]
fn accepts_harmless_arguments() {
    for line in [
        "git status",
        "git -C /x log --oneline -n 5",
        "git -c user.name=me commit -m exec",
        "git push -u origin main",
        "git add -u",
        "git config --get user.name",
        "git config --global --type=bool --get core.bare",
        "git config -f x list",
        "git clone https://example.org/x",
        "ssh -p 22 -o BatchMode=yes host ls -F",
        "ssh host tar -I zstd -c x",
        "rsync -av a host:b",
        "tar -czf a.tgz --exclude=x dir",
        "tar -xfIF",
        "tar xf a",
        "git rebase -Sxy HEAD~1",
        "git grep -eO x",
        "zip -T a",
        "find . -name *.rs -delete",
        "rg -n pattern",
        "ls -I x",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}

#[test]
fn an_expanded_argument_may_be_an_option() {
    let expanded = |begins: &str| {
        let argument = Argument {
            text: "x".to_owned(),
            begins: begins.to_owned(),
            is_expanded: true,
        };
        starting("git", &[argument])
    };
    assert!(expanded("").is_some());
    assert!(expanded("-c").is_some());
    assert!(expanded("src/").is_none());
}
