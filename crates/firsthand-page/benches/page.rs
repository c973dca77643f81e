//! How fast a page becomes text, beside another converter and beside the bare tokens, on the same page in the same run.
//!
//! The page is made here. Each line gives megabytes (10^6 bytes) a second of CPU time, the median of the rounds.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at its own CPU time")]
#![expect(clippy::unwrap_used, reason = "a benchmark may stop")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use firsthand::address::{Address, Form};
use firsthand_page::{Limits, read};

/// A page of documentation: menu, headings, prose with links, lists, tables and code.
fn page(sections: usize) -> String {
    let mut html = String::from(
        "<!doctype html><html><head><title>Guide</title><style>p{color:red}</style></head><body><nav><ul>",
    );
    for section in 0..sections {
        _ = write!(html, "<li><a href='#s{section}'>Section {section}</a></li>");
    }
    html.push_str("</ul></nav><main>");
    for section in 0..sections {
        _ = write!(
            html,
            "<section id='s{section}' class='chapter'><h2>Section {section}</h2>\n<p>The order of the <em>meeting</em> was \
             changed because rain kept the boats in the <a href=\"../harbour/{section}?page=2&amp;x=1\">harbour</a>, and nobody \
             could find the <code>key_{section}</code> to the second store &mdash; which stands 納期 behind the first.</p>\n\
             <ul><li>One <b>thing</b></li><li>Another, see <a href='https://other.example/{section}'>there</a></li></ul>\n\
             <table><thead><tr><th>Name</th><th>Value</th></tr></thead><tbody><tr><td>a</td><td>{section}</td></tr>\
             <tr><td>b</td><td><a href='/v'>v</a></td></tr></tbody></table>\n<pre><code class='language-rust'>fn f() {{\n    \
             g({section});\n}}</code></pre></section>\n"
        );
    }
    html.push_str("</main><script>let x = '<p>';</script></body></html>");
    html
}

/// The CPU time of this process so far.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

fn main() {
    let address = Address::written("https://shop.example/docs/guide", Form::Absolute).unwrap();
    let html = page(1_500);
    let ours =
        || read(html.as_bytes(), Some("text/html; charset=utf-8"), &address, Limits::default()).unwrap().text.len();
    let peer = || html2text::from_read(html.as_bytes(), 100).unwrap().len();
    let tokens = || html5gum::Tokenizer::new(html.as_str()).count();
    let contenders: [(&str, &dyn Fn() -> usize); 3] =
        [("firsthand-page", &ours), ("html2text", &peer), ("bare tokens", &tokens)];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..if std::env::args().any(|argument| argument == "--bench") { 15 } else { 1 } {
        for ((_, run), times) in contenders.iter().zip(&mut times) {
            let before = cpu();
            black_box(run());
            times.push(cpu() - before);
        }
    }
    println!("a page of {} bytes", html.len());
    for ((name, _), times) in contenders.iter().zip(&mut times) {
        times.sort();
        let median = times.get(times.len() / 2).unwrap().as_secs_f64();
        println!("{name}: {:.0} MB/s", html.len() as f64 / 1e6 / median);
    }
}
