//! The tree of a program, held in flat arenas so that no nesting depth can overflow a stack when it is built, walked
//! or dropped: expressions point to their operands by index, statements to their enclosing block by index.

/// Index of an expression in [`Tree::expressions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// The position in the arena.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A byte range of the source, end exclusive.
pub type Span = (u32, u32);

/// A run of neighbours in [`Tree::children`] or [`Tree::parameters`]: no node owns a list, so that a tree is a handful
/// of allocations whatever its size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Run {
    start: u32,
    len: u32,
}

impl Run {
    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    fn of<T>(self, all: &[T]) -> &[T] {
        let start = self.start as usize;
        all.get(start..start + self.len as usize).unwrap_or_default()
    }
}

/// An expression with its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// For a name: whether it is read here (a target is written instead).
    pub(crate) read: bool,
    /// For a name: whether it is an operand of arithmetic.
    pub(crate) arithmetic: bool,
}

/// The kinds of expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExprKind {
    /// A number literal.
    Number,
    /// A quoted text.
    Text,
    /// A template with the names in its holes.
    Template(Run),
    /// `True`, `False` or `None`.
    Constant,
    /// A name; `sigil` tells whether `$` stands before it.
    Name {
        /// Whether it is written `$name`.
        sigil: bool,
    },
    /// `[a, b]`.
    List(Run),
    /// `{key: value}`: keys and values in turn.
    Dict(Run),
    /// `(a)` or `(a, b)`.
    Group(Run),
    /// `-a` or `not a`.
    Unary(UnaryOp, ExprId),
    /// `a + b` and the like.
    Binary(BinaryOp, ExprId, ExprId),
    /// `value if condition else other`: value, condition, other.
    Conditional(ExprId, ExprId, ExprId),
    /// `a[b]`.
    Index(ExprId, ExprId),
    /// `a.name`; the byte range is the name's.
    Member(ExprId, Span),
    /// `callee(arguments)`; an empty argument is `None`.
    Call(ExprId, Run),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `not`
    Not,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`, `!=`, `<`, `>`, `<=`, `>=`
    Compare,
    /// `in`, `not in`
    Contains,
    /// `+`
    Add,
    /// `-`, `*`, `/`
    Arithmetic,
    /// `%`
    Modulo,
}

/// How tightly `not`, comparisons and the negative sign bind, on the scale of [`precedence`].
pub(crate) const NOT: u8 = 3;
pub(crate) const COMPARE: u8 = 4;
pub(crate) const NEGATE: u8 = 7;

/// How tightly an infix operator binds; more is tighter.
pub(crate) fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Compare | BinaryOp::Contains => COMPARE,
        BinaryOp::Add => 5,
        BinaryOp::Arithmetic | BinaryOp::Modulo => 6,
    }
}

/// One statement: a line of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands, without the comment behind it.
    pub span: Span,
    /// Its expressions: the range of [`Tree::expressions`] that was made for it.
    pub expressions: (u32, u32),
    /// The statement that opens the block it stands in.
    pub parent: Option<u32>,
}

/// The kinds of statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// A command or function call, block words included; `assigned` is the name left of `=`.
    Call {
        /// The name called.
        name: Span,
        /// Its arguments; an empty one is `None`.
        arguments: Run,
        /// The name that takes the value.
        assigned: Option<Span>,
    },
    /// `name = expression`.
    Assign {
        /// The name.
        target: Span,
        /// The value.
        value: ExprId,
    },
    /// `object.method(arguments)`.
    MethodCall(ExprId),
    /// `return`, with a value or without.
    Return(Option<ExprId>),
    /// `function name(parameters) {`.
    Function {
        /// The name.
        name: Span,
        /// The parameters in order, in [`Tree::parameters`].
        parameters: Run,
    },
    /// The `}` that closes a function.
    CloseFunction,
    /// `include` or `import`.
    Include,
    /// A line that could not be read.
    Invalid,
}

/// A program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The statements in text order.
    pub statements: Vec<Statement>,
    /// The arena of expressions.
    pub expressions: Vec<Expr>,
    /// What expressions and calls hold, run behind run; an empty argument is `None`.
    pub children: Vec<Option<ExprId>>,
    /// The names of all parameters of all functions, run behind run.
    pub parameters: Vec<Span>,
    /// The byte ranges of comments, in text order.
    pub comments: Vec<Span>,
}

impl Tree {
    /// The expression of that index.
    #[must_use]
    pub fn expression(&self, id: ExprId) -> Option<&Expr> {
        self.expressions.get(id.index())
    }

    /// What stands in a list, dict, group, template or call.
    #[must_use]
    pub fn children(&self, run: Run) -> &[Option<ExprId>] {
        run.of(&self.children)
    }

    /// The names of a function's parameters.
    #[must_use]
    pub fn parameters(&self, run: Run) -> &[Span] {
        run.of(&self.parameters)
    }

    /// The expressions of a statement.
    pub(crate) fn expressions_of(&self, statement: &Statement) -> &[Expr] {
        let (start, end) = statement.expressions;
        self.expressions.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn kind(&self, id: ExprId) -> Option<&ExprKind> {
        self.expression(id).map(|node| &node.kind)
    }

    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.expression(id).map_or((0, 0), |node| node.span)
    }
}

/// The arena while it grows.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Expr>,
    pub(crate) children: Vec<Option<ExprId>>,
    pub(crate) parameters: Vec<Span>,
}

impl Arena {
    /// Keeps a run of children.
    #[inline]
    pub(crate) fn keep(&mut self, items: impl IntoIterator<Item = Option<ExprId>>) -> Run {
        let start = self.children.len();
        self.children.extend(items);
        run(start, self.children.len())
    }

    /// Keeps the parameters of a function.
    pub(crate) fn keep_parameters(&mut self, items: impl IntoIterator<Item = Span>) -> Run {
        let start = self.parameters.len();
        self.parameters.extend(items);
        run(start, self.parameters.len())
    }

    /// The parameters of a run.
    pub(crate) fn parameters_of(&self, run: Run) -> &[Span] {
        run.of(&self.parameters)
    }

    #[inline]
    pub(crate) fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Arithmetic | BinaryOp::Modulo, left, right) = kind {
            for side in [left, right] {
                if let Some(node) = self.nodes.get_mut(side.index()) {
                    node.arithmetic = true;
                }
            }
        }
        if let ExprKind::Call(callee, _) = kind
            && let Some(node) = self.nodes.get_mut(callee.index())
            && matches!(node.kind, ExprKind::Name { .. })
        {
            node.read = false;
        }
        let id = ExprId(self.len());
        self.nodes.push(Expr { kind, span, read: true, arithmetic: false });
        id
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.nodes.get(id.index()).map_or((0, 0), |node| node.span)
    }

    pub(crate) fn kind(&self, id: ExprId) -> Option<&ExprKind> {
        self.nodes.get(id.index()).map(|node| &node.kind)
    }
}

/// An empty run has no place.
fn run(start: usize, end: usize) -> Run {
    if start == end {
        return Run::default();
    }
    let offset = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Run { start: offset(start), len: offset(end - start) }
}
