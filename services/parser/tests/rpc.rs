//! The service alone, over an in-memory channel.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use assay_domain::code::{BlockStatus, ParsedBlock, Severity};
use assay_domain::{Code, Failure, Identity};
use assay_parser::{Options, SPEC, compose};
use assay_proto::common::BlockState;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_proto::parser::{DescribeRequest, ParseAnswerRequest, ParseOptions, ParseRequest, Program};
use assay_rpc::server::{Limits, Running};
use assay_rpc::{Channel, Context, Peers};
use assay_wire::{from_status, list_from_wire};

type Client = ParserServiceClient<Channel>;

async fn serve(options: Options) -> (Client, Running) {
    let service = compose(options, &Peers::none()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    (ParserServiceClient::new(channel), running)
}

fn ask<T>(message: T) -> tonic::Request<T> {
    Context::new(Identity::local(), Duration::from_secs(30)).request(message)
}

fn programs(list: &[(&str, &str)]) -> ParseRequest {
    let programs = list
        .iter()
        .map(|(language, code)| Program { language: (*language).into(), code: (*code).into() })
        .collect();
    ParseRequest { programs, options: None }
}

async fn answer(
    client: &mut Client,
    text: &str,
    default: &str,
    wanted: &str,
) -> Result<Vec<ParsedBlock>, Failure> {
    let message = ParseAnswerRequest {
        answer: text.into(),
        default_language: default.into(),
        wanted_language: wanted.into(),
        ..ParseAnswerRequest::default()
    };
    let response = client.parse_answer(ask(message)).await.map_err(|status| from_status(&status))?;
    list_from_wire("blocks", response.into_inner().blocks)
}

#[tokio::test]
async fn programs_are_parsed_in_the_order_of_the_request() {
    let (mut client, running) = serve(Options::default()).await;
    let message = programs(&[
        ("avap", "addVar(x, 1)\ngetSHA256(x, y)\naddResult(y)\n"),
        ("json", "[1]"),
        ("kotlin", "val x = 1"),
        ("py", "def f(:\n"),
    ]);
    let response = client.parse(ask(message)).await.unwrap().into_inner();
    let states: Vec<i32> = response.programs.iter().map(|program| program.state).collect();
    let expected = [BlockState::Invalid, BlockState::Valid, BlockState::NoGrammar, BlockState::Invalid];
    assert_eq!(states, expected.map(|state| state as i32));
    let first = &response.programs[0].diagnostics[0];
    assert_eq!((first.line, first.suggestion.as_deref()), (2, Some("encodeSHA256")));
    assert_eq!(response.version, assay_avap::version());
    assert_eq!(response.grammar_hash.len(), 64);
    running.drain().await;
}

#[tokio::test]
async fn blocks_of_an_answer_have_language_place_and_verdict() {
    let (mut client, running) = serve(Options::default()).await;
    let text = "Intro.\n\n```avap\naddVar(x, 1)\naddResult(x)\n```\n\n- item\n\n  ```python\n  def f(:\n  ```\n\n```text\nnot code\n```\n\n\
                ```\naddParam(\"a\", a)\n```\n\n    const x = 1;\n    console.log(x);\n\n```kotlin\nval x = 1\n```\n\n```\nplain words\n```\n";
    let blocks = answer(&mut client, text, "", "").await.unwrap();
    let found: Vec<(&str, bool, u32, &BlockStatus)> = blocks
        .iter()
        .map(|b| (b.block.language.as_str(), b.block.declared, b.block.first_line, &b.status))
        .collect();
    assert_eq!(
        found,
        [
            ("avap", true, 4, &BlockStatus::Valid),
            ("python", true, 11, &BlockStatus::Invalid),
            ("avap", false, 19, &BlockStatus::Valid),
            ("javascript", false, 22, &BlockStatus::Valid),
            ("kotlin", true, 26, &BlockStatus::NoGrammar),
        ]
    );
    for block in &blocks {
        let slice = &text[block.block.byte_start..block.block.byte_end];
        assert!(slice.contains(block.block.code.lines().next().unwrap().trim()), "{slice:?}");
    }
    assert_eq!(blocks[1].block.code, "def f(:\n");
    assert_eq!(blocks.iter().map(|b| b.block.index).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    running.drain().await;
}

#[tokio::test]
async fn blocks_are_found_in_every_container_and_with_every_fence() {
    let (mut client, running) = serve(Options::default()).await;
    let text = "> quoted\n>\n> ```avap\n> x = 1\n> addResult(x)\n> ```\n\n~~~python\nx = 1\n~~~\n\n````markdown\n```avap\n\
                inner\n```\n````\n\n```avap title=\"x\"\r\ny = 1\r\naddResult(y)\r\n```\r\n\n1. a\n\n   ```{.avap}\n   z = 1\n   \
                addResult(z)\n   ```\n\n``` js:title.js\nvar a;\n```\n\n```yaml\na: [1\n```\n\nsome `code`\n\n```avap\nwhile (x) {\n";
    let blocks = answer(&mut client, text, "", "").await.unwrap();
    let found: Vec<(&str, u32, &BlockStatus)> =
        blocks.iter().map(|b| (b.block.language.as_str(), b.block.first_line, &b.status)).collect();
    assert_eq!(
        found,
        [
            ("avap", 4, &BlockStatus::Valid),
            ("python", 9, &BlockStatus::Valid),
            // A fence inside a longer fence is text of the outer one.
            ("markdown", 13, &BlockStatus::NoGrammar),
            ("avap", 19, &BlockStatus::Valid),
            ("avap", 26, &BlockStatus::Valid),
            ("javascript", 31, &BlockStatus::Valid),
            ("yaml", 35, &BlockStatus::Invalid),
            // A fence that is never closed runs to the end.
            ("avap", 41, &BlockStatus::Invalid),
        ]
    );
    running.drain().await;
}

#[tokio::test]
async fn avap_fence_with_go_inside_is_invalid() {
    let (mut client, running) = serve(Options::default()).await;
    let text = "```avap\npackage main\n\nfunc main() {\n\tfmt.Println(1)\n}\n```\n";
    let blocks = answer(&mut client, text, "avap", "avap").await.unwrap();
    assert_eq!(blocks[0].status, BlockStatus::Invalid);
    let errors: Vec<_> = blocks[0].diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].message.contains("Go"));
    running.drain().await;
}

#[tokio::test]
async fn block_in_another_language_is_wrong_unless_it_is_data() {
    let (mut client, running) = serve(Options::default()).await;
    let text = "```python\nx = 1\n```\n\n```json\n{\"a\": 1}\n```\n\n```\nfree words\n```\n";
    let blocks = answer(&mut client, text, "", "avap").await.unwrap();
    let states: Vec<&BlockStatus> = blocks.iter().map(|block| &block.status).collect();
    assert_eq!(states, [&BlockStatus::WrongLanguage("python".into()), &BlockStatus::Valid]);
    // The language of the collection goes before detection.
    let blocks = answer(&mut client, text, "avap", "avap").await.unwrap();
    assert_eq!(blocks[2].status, BlockStatus::Invalid);
    running.drain().await;
}

async fn documentation(client: &mut Client, text: &str, wanted: &str) -> Vec<ParsedBlock> {
    let message = ParseAnswerRequest {
        answer: text.to_owned(),
        wanted_language: wanted.to_owned(),
        documentation: true,
        ..ParseAnswerRequest::default()
    };
    let response = client.parse_answer(ask(message)).await.unwrap().into_inner();
    list_from_wire("blocks", response.blocks).unwrap()
}

#[tokio::test]
async fn programs_inside_plain_output_are_parsed() {
    let (mut client, running) = serve(Options::default()).await;
    let text = "```text\nadded 120 packages\n```\n\n```output\naddParam(\"a\", a)\naddResult(a)\n```\n\n```diff\n- x = 1\n+ x = 2\n```\n\n\
                ```mermaid\ngraph TD;\n```\n\n```console\na = f(1)\nb = g(a)\nif b > (2:\n    b = 1\n```\n\n```text\n\n```\n";
    let blocks = documentation(&mut client, text, "").await;
    let found: Vec<(u32, &str, bool, &BlockStatus)> = blocks
        .iter()
        .map(|b| (b.block.index, b.block.language.as_str(), b.block.declared, &b.status))
        .collect();
    assert_eq!(
        found,
        [
            (0, "text", false, &BlockStatus::Plain),
            (1, "avap", false, &BlockStatus::Valid),
            (2, "diff", false, &BlockStatus::Plain),
            (3, "mermaid", false, &BlockStatus::Plain),
            (4, "python", false, &BlockStatus::Invalid),
        ]
    );
    let others = answer(&mut client, text, "", "").await.unwrap();
    assert!(others.iter().all(|parsed| parsed.status != BlockStatus::Plain), "{others:#?}");
    running.drain().await;
}

#[tokio::test]
async fn placeholders_of_documentation_are_warnings_and_the_rest_is_parsed() {
    let (mut client, running) = serve(Options::default()).await;
    for (language, program, valid) in [
        ("bash", "kubectl apply -f <file>\n", true),
        ("bash", "$ kubectl get pods\nIt's here\n$ ls\n", true),
        ("bash", "# Apply it.\n$ kubectl apply -f <file>\n", true),
        ("bash", "kubectl apply -f <file> | (\n", false),
        ("python", ">>> print(1)\n1\n", true),
        ("python", ">>> print(1\n", false),
        ("python", ">>> for x in y:\n...     print(x)\n...\n1\n2\n", true),
        ("python", "def f(:\n  retrun ((\n>>> 1\n", false),
        ("python", "{{ def f((( ++ retrun }}\n", false),
        ("javascript", "const a = f();\n...\ng(a);\n", true),
        ("javascript", "const a = f(;\n...\n", false),
        ("json", "{\"name\": <name>, ...}\n", true),
        ("yaml", "name: {{ name }}-{{ x }}\n", true),
        ("java", "List<String> a = <value>;\n", true),
        ("go", "x := ...\n", true),
        ("sql", "SELECT a FROM <table>;\n", true),
    ] {
        let text = format!("```{language}\n{program}```\n");
        let blocks = documentation(&mut client, &text, "").await;
        let status = if valid { BlockStatus::Valid } else { BlockStatus::Invalid };
        assert_eq!(blocks[0].status, status, "{program} {:#?}", blocks[0].diagnostics);
        let noted = blocks[0].diagnostics.iter().any(|found| found.code == "placeholder");
        assert_eq!(noted, valid, "{program}");
        let strict = answer(&mut client, &text, "", "").await.unwrap();
        assert_eq!(strict[0].status, BlockStatus::Invalid, "{program}");
    }
    running.drain().await;
}

#[tokio::test]
async fn blocks_that_are_hardly_read_are_plain() {
    let (mut client, running) = serve(Options::default()).await;
    let (plain, invalid, valid) = (BlockStatus::Plain, BlockStatus::Invalid, BlockStatus::Valid);
    for (language, program, status) in [
        ("bash", "$ echo hi\nif then fi ((\ndone ) ) esac\n", &plain),
        ("bash", "$ echo a\n$ echo b\n$ echo c\nif then fi ((\n", &plain),
        ("bash", "$ ls (\na.txt\nb.txt\n", &invalid),
        ("bash", "$ ls\nAnn's\nb.txt\n", &plain),
        ("bash", "$ cat a.json\n{\n  \"a\": 1\n}\n$ cat b.json\n{\n  \"b\": 1\n}\n", &valid),
        ("bash", "$ cat a.py\na = f(1)\nb = g(a)\nif b > (2:\n    b = 1\n", &invalid),
        ("bash", "<command>\n", &plain),
        ("python", ">>> 1\ndef f(:\n  retrun ((\n", &plain),
        ("python", ">>> 1\ndef f(:\n", &plain),
        ("python", "{{ retrun def ++ }}\n", &plain),
        ("yaml", "{{ a }}: [1\n", &invalid),
        ("yaml", "image: {{ .Values.image }}\nreplicas: 2\n", &valid),
    ] {
        let blocks = documentation(&mut client, &format!("```{language}\n{program}```\n"), "").await;
        assert_eq!(&blocks[0].status, status, "{program} {:#?}", blocks[0].diagnostics);
    }
    running.drain().await;
}

#[tokio::test]
async fn limits_name_their_setting() {
    let options =
        Options { max_program_bytes: 10, max_answer_bytes: 100, max_programs: 2, ..Options::default() };
    let (mut client, running) = serve(options).await;
    let too_long = client.parse(ask(programs(&[("json", "[1, 2, 3, 4]")]))).await.unwrap_err();
    let too_many =
        client.parse(ask(programs(&[("json", "1"), ("json", "1"), ("json", "1")]))).await.unwrap_err();
    for (status, setting) in [(too_long, "parser.max_program_bytes"), (too_many, "parser.max_programs")] {
        let failure = from_status(&status);
        assert_eq!(failure.code, Code::PayloadTooLarge);
        assert!(failure.message.contains(setting), "{failure:?}");
    }
    let failure = answer(&mut client, &"a".repeat(101), "", "").await.unwrap_err();
    assert_eq!(failure.code, Code::PayloadTooLarge);
    let exact = client.parse(ask(programs(&[("json", "[1, 2, 34]")]))).await.unwrap().into_inner();
    assert_eq!(exact.programs[0].state, BlockState::Valid as i32);
    running.drain().await;
}

#[tokio::test]
async fn options_reach_the_front_end() {
    let (mut client, running) = serve(Options::default()).await;
    let mut message = programs(&[("avap", "x = 1\nif(x, 1, \"==\")\naddResult(x)\n")]);
    message.options = Some(ParseOptions { server_compat: true, profiles: vec![] });
    let response = client.parse(ask(message.clone())).await.unwrap().into_inner();
    assert_eq!(response.programs[0].state, BlockState::Valid as i32);
    message.options = Some(ParseOptions { server_compat: false, profiles: vec!["cores".into()] });
    let failure = from_status(&client.parse(ask(message)).await.unwrap_err());
    assert_eq!(failure.code, Code::InvalidArgument);
    assert!(failure.message.contains("hypothesis"));
    let wrong = Options { profiles: vec!["cores".into()], ..Options::default() };
    assert_eq!(compose(wrong, &Peers::none()).await.unwrap_err().code, Code::Configuration);
    running.drain().await;
}

#[tokio::test]
async fn describe_names_version_grammar_profiles_and_languages() {
    let (mut client, running) = serve(Options::default()).await;
    let described = client.describe(ask(DescribeRequest {})).await.unwrap().into_inner();
    assert_eq!(described.profiles, ["core", "full", "legacy"]);
    for language in [
        "avap",
        "python",
        "javascript",
        "typescript",
        "go",
        "rust",
        "java",
        "bash",
        "sql",
        "json",
        "toml",
        "yaml",
    ] {
        assert!(described.languages.iter().any(|name| name == language), "{language}");
    }
    assert_eq!(described.grammar_hash, assay_avap::grammar_hash());
    assert!(SPEC.calls.is_empty());
    running.drain().await;
}

#[tokio::test]
async fn calls_without_identity_are_refused() {
    let (mut client, running) = serve(Options::default()).await;
    let failure = from_status(&client.parse(programs(&[])).await.unwrap_err());
    assert_eq!(failure.code, Code::Unauthenticated);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_are_answered() {
    let (client, running) = serve(Options::default()).await;
    let calls = (0..1000).map(|number| {
        let mut client = client.clone();
        async move {
            let code = format!("addVar(x, {number})\naddResult(x)\n");
            let response = client.parse(ask(programs(&[("avap", &code)]))).await.unwrap().into_inner();
            response.programs[0].state
        }
    });
    let mut join = tokio::task::JoinSet::new();
    for call in calls {
        join.spawn(call);
    }
    let states = join.join_all().await;
    assert_eq!(states.len(), 1000);
    assert!(states.iter().all(|state| *state == BlockState::Valid as i32));
    running.drain().await;
}

#[tokio::test]
async fn info_strings_name_the_language() {
    let (mut client, running) = serve(Options::default()).await;
    for (info, language) in [
        ("json", "json"),
        ("JSON", "json"),
        ("{.json}", "json"),
        ("{ .json .numberLines startFrom=\"3\" }", "json"),
        ("{#id .json}", "json"),
        ("{json}", "json"),
        ("json {linenos=true}", "json"),
        ("json,ignore", "json"),
        ("json:a/b.json", "json"),
        ("language-json", "json"),
        ("json title=\"a b\"", "json"),
    ] {
        for fence in ["```", "~~~~"] {
            let text = format!("a\n\n{fence}{info}\n[1]\n{fence}\n");
            let blocks = answer(&mut client, &text, "", "").await.unwrap();
            assert_eq!(blocks.len(), 1, "{text}");
            assert_eq!(
                (blocks[0].block.language.as_str(), blocks[0].block.declared),
                (language, true),
                "{text}"
            );
            assert_eq!((blocks[0].block.first_line, &blocks[0].status), (4, &BlockStatus::Valid), "{text}");
        }
    }
    for text in [
        "a `[1` b ``x = (``\n",
        "<div>\n```json\n[1\n```\n</div>\n",
        "<!--\n```json\n[1\n```\n-->\n",
        "```output\n[1\n```\n",
        "\\```json\n[1\n",
        "```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import x\nImportError: x\n```\n",
        "```\n+----+\n| id |\n+----+\n```\n",
    ] {
        assert_eq!(answer(&mut client, text, "", "").await.unwrap(), [], "{text}");
    }
    // Within containers, with CRLF, never closed, and beside each other.
    for (text, line) in [
        ("- a\n  - b\n\n    ```json\n    [1\n    ```\n", 5),
        ("> - a\n>\n>   ~~~json\n>   [1\n>   ~~~\n", 4),
        ("a\r\n\r\n```json\r\n[1\r\n```\r\n", 4),
        ("1. a\n\n   ```json\n   [1\n", 4),
        ("a[^1]\n\n[^1]: note\n\n    ```json\n    [1\n    ```\n", 6),
        ("```json\n[1\n````\n", 2),
    ] {
        let blocks = answer(&mut client, text, "", "").await.unwrap();
        let found: Vec<(u32, &BlockStatus)> =
            blocks.iter().map(|b| (b.block.first_line, &b.status)).collect();
        assert_eq!(found, [(line, &BlockStatus::Invalid)], "{text}");
        assert_eq!(blocks[0].diagnostics.len(), 1, "{text}");
    }
    running.drain().await;
}
