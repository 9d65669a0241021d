//! Whether the rule about SQL that holds request parameters could find anything: whether what comes in with a parameter
//! could reach an `ormDirect` at all. Answers yes too often, never too seldom; the rule itself says what is so.
//!
//! What flows is a graph over names: a line is a node that all names read on it lead to and all names written on it
//! follow from, so that a line costs as many edges as it has names.

use super::cursor::offset;
use super::names::{Symbol, flag};
use super::{Function, Reader};
use crate::rules::CLEANSING;
use crate::syntax::{Statement, StatementKind};

/// The edges of the graph, and what is looked for in it.
#[derive(Default)]
struct Flow {
    edges: Vec<(u32, u32)>,
    /// Nodes of lines that hold an `ormDirect`.
    sinks: Vec<u32>,
}

impl Reader<'_> {
    /// Whether a request parameter could reach an `ormDirect`.
    pub(super) fn parameters_could_reach_sql(&mut self) -> bool {
        if !self.seen.queries || !self.seen.parameters {
            return false;
        }
        let names = offset(self.names.count());
        let flow = self.flow(names);
        let nodes = 2 * names as usize + self.statements.len();
        // For each node, where its edges begin among all of them.
        let mut begins = vec![0_u32; nodes + 1];
        flow.edges.iter().for_each(|(from, _)| begins[*from as usize + 1] += 1);
        for node in 0..nodes {
            begins[node + 1] += begins[node];
        }
        let mut next = begins.clone();
        let mut targets = vec![0_u32; flow.edges.len()];
        for (from, to) in &flow.edges {
            let place = &mut next[*from as usize];
            targets[*place as usize] = *to;
            *place += 1;
        }
        let mut reached = vec![false; nodes];
        let mut work: Vec<u32> = (0..names).filter(|name| self.names.any(*name, flag::SOURCE)).collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                work.extend(&targets[begins[node as usize] as usize..begins[node as usize + 1] as usize]);
            }
        }
        flow.sinks.iter().any(|line| reached[*line as usize])
    }

    /// The graph: numbers below `names` are names, as many behind them what goes into functions, then come lines.
    fn flow(&mut self, names: Symbol) -> Flow {
        let mut flow = Flow::default();
        let source = self.source;
        let slice =
            |span: (u32, u32)| source.as_bytes().get(span.0 as usize..span.1 as usize).unwrap_or_default();
        let mut mentions = self.mentions.as_slice();
        let mut functions = self.functions.iter();
        let mut inside: Option<&Function> = None;
        for (line, statement) in (0_u32..).zip(&self.statements) {
            let node = 2 * names + line;
            let here = mentions.iter().take_while(|mention| mention.line == line).count();
            let (on_line, behind) = mentions.split_at(here);
            mentions = behind;
            for mention in on_line.iter().filter(|mention| !mention.written) {
                flow.edges.push((mention.name, node));
                if self.names.any(mention.name, flag::FUNCTION) {
                    flow.edges.push((node, names + mention.name));
                }
            }
            let cleanses = self.follow(statement, node, &mut flow);
            let callee = match statement.kind {
                StatementKind::Call { name, .. } if !self.functions.is_empty() => {
                    self.names.find(slice(name)).filter(|name| self.names.any(*name, flag::FUNCTION))
                }
                _ => None,
            };
            flow.edges.extend(callee.map(|callee| (node, names + callee)));
            for mention in on_line.iter().filter(|mention| mention.written) {
                if !cleanses {
                    flow.edges.push((node, mention.name));
                }
                flow.edges.extend(callee.map(|callee| (callee, mention.name)));
            }
            match statement.kind {
                StatementKind::Function { parameters, .. } => {
                    inside = functions.next();
                    let Some(function) = inside else { continue };
                    for span in self.arena.parameters_of(parameters) {
                        let parameter = self.names.find(slice(*span));
                        flow.edges.extend(parameter.map(|parameter| (names + function.name, parameter)));
                    }
                }
                StatementKind::CloseFunction => inside = None,
                StatementKind::Return(_) => {
                    flow.edges.extend(inside.map(|function| (node, function.name)));
                }
                _ => {}
            }
        }
        flow
    }

    /// Notes a line that holds an `ormDirect`; tells whether a line's targets carry nothing of what goes in.
    fn follow(&self, statement: &Statement, node: u32, flow: &mut Flow) -> bool {
        let StatementKind::Call { name, .. } = statement.kind else { return false };
        let text = self.text(name);
        if text == "ormDirect" {
            flow.sinks.push(node);
        }
        // What parameters bring in is known by the names.
        CLEANSING.contains(&text) || matches!(text, "addParam" | "getQueryParamList")
    }
}
