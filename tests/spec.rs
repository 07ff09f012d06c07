//! Agent specifications: what they mean, what is refused, and that their text parses back.

use std::time::Duration;

use plyzero::agent::{Spec, SpecError};

fn parsed(text: &str) -> Spec {
    text.parse().unwrap()
}

fn options(text: &str) -> Vec<(String, String)> {
    parsed(text).options().to_vec()
}

fn refused(text: &str) -> String {
    text.parse::<Spec>().unwrap_err().to_string()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[test]
fn kinds_and_options_are_told_apart() {
    assert_eq!((parsed("random").kind(), parsed("random").options()), ("random", &[][..]));
    assert_eq!(parsed("alpha-beta:depth=8").kind(), "alpha-beta");
    assert_eq!(options("alpha-beta:depth=8,time=50ms"), pairs(&[("depth", "8"), ("time", "50ms")]));
    assert_eq!(options(" puct : net = a b.safetensors , sims = 400 "), pairs(&[("net", "a b.safetensors"), ("sims", "400")]));
    assert_eq!(options("x:formula=a=b"), pairs(&[("formula", "a=b")]));
}

#[test]
fn a_net_is_a_path_and_nothing_else() {
    for path in ["a.safetensors", "a,b=c \"d\".safetensors", r"C:\nets\a.safetensors", " blank "] {
        assert_eq!(options(&format!("net:{path}")), pairs(&[(Spec::PATH, path)]));
    }
}

#[test]
fn quotes_hold_commas_and_escapes() {
    assert_eq!(options(r#"puct:net="a,b.safetensors",sims=400"#), pairs(&[("net", "a,b.safetensors"), ("sims", "400")]));
    assert_eq!(options(r#"puct:net="say \"hi\", \\ it" , sims=4"#), pairs(&[("net", r#"say "hi", \ it"#), ("sims", "4")]));
    assert_eq!(options(r#"puct:net=a"b\c"#), pairs(&[("net", r#"a"b\c"#)]), "nothing is special in a plain value");
}

#[test]
fn text_parses_back_and_is_quoted_only_where_needed() {
    let nasty = [
        ("plain", "a.safetensors", false),
        ("inner blanks", "my nets/a b.safetensors", false),
        ("windows", r"C:\nets\a.safetensors", false),
        ("inner quote", r#"a"b"#, false),
        ("equals", "a=b", false),
        ("unicode", "Brettspiele/für Könige ♔ 将棋.safetensors", false),
        ("colon", "a:b", false),
        ("comma", "a,b", true),
        ("outer blanks", " a ", true),
        ("ideographic blank", "\u{3000}a", true),
        ("outer quotes", r#""a""#, true),
        ("comma and backslash", r"C:\nets\a,b\", true),
        ("everything", "\"\\,= \u{1F3B2}\t\n\"", true),
    ];
    for (what, value, needs_quotes) in nasty {
        let quoted = format!("\"{}\"", value.replace('\\', r"\\").replace('"', "\\\""));
        let spec = parsed(&format!("puct:net={quoted},sims=1"));
        assert_eq!(spec.options()[0].1, value, "{what}");
        let text = spec.to_string();
        assert_eq!(text.contains(&quoted), needs_quotes, "{what}: {text}");
        assert_eq!(parsed(&text), spec, "{what}");
        let net = parsed(&format!("net:{value}"));
        assert_eq!(net.to_string(), format!("net:{value}"), "{what}");
        assert_eq!(parsed(&net.to_string()), net, "{what}");
    }
}

#[test]
fn malformed_text_is_refused_with_advice() {
    let cases = [
        ("", "\"\" names no agent; start with a kind"),
        (":depth=8", "\":depth=8\" names no agent"),
        ("random:", "nothing follows the colon of \"random:\"; add options or remove the colon"),
        ("net:", "nothing follows the colon of \"net:\"; add a path"),
        ("alpha-beta:depth", "\"depth\" in \"alpha-beta:depth\" is not an option; write key=value"),
        ("alpha-beta:8,depth=4", "\"8\" in \"alpha-beta:8,depth=4\" is not an option"),
        ("alpha-beta:depth=8,", "\"\" in \"alpha-beta:depth=8,\" is not an option"),
        ("alpha-beta:=8", "\"=8\" in \"alpha-beta:=8\" is not an option"),
        ("alpha-beta:depth=", "option \"depth\" in \"alpha-beta:depth=\" has no value; give it one"),
        ("alpha-beta:depth=\"\"", "has no value"),
        ("alpha-beta:depth=,time=1s", "option \"depth\" in \"alpha-beta:depth=,time=1s\" has no value"),
        ("alpha-beta:depth=8,depth=9", "option \"depth\" stands twice in \"alpha-beta:depth=8,depth=9\"; keep one"),
        ("puct:net=\"a,sims=4", "the quoted value of \"net\" in \"puct:net=\\\"a,sims=4\" does not end; close it"),
        (r#"puct:net="a\"#, "does not end"),
        (r#"puct:net="C:\nets""#, r"has a backslash before neither"),
        (r#"puct:net="a"b,sims=4"#, "is followed by more text; put a comma"),
    ];
    for (text, message) in cases {
        let refusal = refused(text);
        assert!(refusal.contains(message), "{text}: {refusal}");
    }
}

#[test]
fn options_are_taken_by_type() {
    let mut spec = parsed("x:depth=8,long=1.5s,short=50ms,two=2s,minute=1m,reuse=true,name=a");
    assert_eq!(spec.take_parsed::<u32>("depth"), Ok(Some(8)));
    assert_eq!(spec.take_parsed::<u32>("depth"), Ok(None), "an option is taken once");
    assert_eq!(spec.take_duration("long"), Ok(Some(Duration::from_millis(1500))));
    assert_eq!(spec.take_duration("short"), Ok(Some(Duration::from_millis(50))));
    assert_eq!(spec.take_duration("two"), Ok(Some(Duration::from_secs(2))));
    assert_eq!(spec.take_duration("minute"), Ok(Some(Duration::from_secs(60))));
    assert_eq!(spec.take_duration("absent"), Ok(None));
    assert_eq!(spec.take_bool("reuse"), Ok(Some(true)));
    assert_eq!(spec.take_required("name"), Ok("a".to_owned()));
    assert_eq!(spec.to_string(), "x:depth=8,long=1.5s,short=50ms,two=2s,minute=1m,reuse=true,name=a", "the text stays whole");
    assert_eq!(spec.finish(), Ok(()));
}

#[test]
fn unreadable_values_are_refused_with_advice() {
    let error = parsed("x:depth=deep").take_parsed::<u32>("depth").unwrap_err().to_string();
    assert_eq!(
        error,
        "option \"depth\" in \"x:depth=deep\" cannot be \"deep\": invalid digit found in string; correct the value or leave the option out"
    );
    for time in ["50", "-1s", "0s", "ms", "infs", "nanm", "1e300m", "1h"] {
        let error = parsed(&format!("x:time={time}")).take_duration("time").unwrap_err();
        assert!(matches!(&error, SpecError::InvalidValue { value, .. } if value == time), "{time}: {error}");
    }
    assert!(parsed("x:reuse=maybe").take_bool("reuse").unwrap_err().to_string().contains("neither true nor false"));
    let missing = parsed("puct:sims=4").take_required("net").unwrap_err().to_string();
    assert_eq!(missing, "\"puct:sims=4\" lacks the option \"net\", which puct needs; add net=VALUE");
}

#[test]
fn leftover_options_are_refused_with_the_nearest_known_one() {
    let mut spec = parsed("alpha-beta:dept=8");
    assert_eq!((spec.take("time"), spec.take("depth")), (None, None));
    assert_eq!(
        spec.finish().unwrap_err().to_string(),
        "alpha-beta has no option \"dept\" (in \"alpha-beta:dept=8\"); did you mean \"depth\"? Its options are time, depth"
    );
    let error = parsed("random:depth=8").finish().unwrap_err().to_string();
    assert_eq!(error, "random has no option \"depth\" (in \"random:depth=8\"); it takes no options: remove this one");
}

#[test]
fn unknown_kinds_are_refused_with_the_nearest_known_one() {
    let error = parsed("alphabeta:depth=8").unknown_kind(&["random", "minimax", "alpha-beta"]).to_string();
    let expected = "no agent is called \"alphabeta\" (in \"alphabeta:depth=8\"); did you mean \"alpha-beta\"? \
                    Known agents are random, minimax, alpha-beta";
    assert_eq!(error, expected);
}
