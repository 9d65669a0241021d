//! Rewrites a graph that stores int8 weights and multiplies floats, so that it multiplies integers.
//!
//! Some exports keep `Cast(int8) → Mul(scale) → MatMul`: small on disk, and as slow as floats. The same weights do as
//! `DynamicQuantizeLinear → MatMulInteger → Mul(scale)`, the form that ONNX Runtime's dynamic quantisation writes. Rows of
//! an embedding table are scaled after they are picked, so that the table stays int8 in memory.

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, GraphProto, ModelProto, NodeProto, TensorProto,
};
use std::collections::{BTreeMap, BTreeSet};

/// How integers that a graph stores are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// As the graph says. Without VNNI a product of full-range integers may saturate.
    AsStored,
    /// To the same sums on every CPU: where integers may saturate their values are multiplied as floats.
    Same,
    /// As [`Products::Same`] where they may saturate, on any CPU.
    #[cfg(test)]
    Floats,
}

/// A graph that is ready to load.
pub(crate) struct Prepared {
    /// The model file, rewritten where that pays.
    pub(crate) bytes: Vec<u8>,
    /// Whether activations are rounded by the range of the whole batch: then a neighbour changes an answer.
    pub(crate) alone: bool,
}

/// Rewrites int8 weights where this CPU multiplies integers exactly. What is no ONNX stays as it is: loading says why.
pub(crate) fn prepare(bytes: Vec<u8>, products: Products) -> Prepared {
    let Ok(mut model) = ModelProto::parse_buf(&bytes) else { return Prepared { bytes, alone: false } };
    let Some(graph) = &mut model.graph else { return Prepared { bytes, alone: false } };
    let changed = match products {
        Products::AsStored => exact() && rewrite(graph),
        Products::Same if exact() => rewrite(graph),
        _ => in_floats(graph),
    };
    let alone = graph.node.iter().any(|node| is(node, "DynamicQuantizeLinear"));
    match changed.then(|| model.write_buf()) {
        Some(Ok(rewritten)) => Prepared { bytes: rewritten, alone },
        Some(Err(_)) | None => Prepared { bytes, alone },
    }
}

/// Whether products of full-range int8 do not saturate here. Without these instructions they may.
fn exact() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512vnni");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("dotprod");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

/// Multiplies the values of integers as floats; `false` if the graph multiplies no integers.
///
/// A sum of such products is a whole number. Below 2²⁴ a float holds it exactly, above it rounds in the eighth digit.
fn in_floats(graph: &mut GraphProto) -> bool {
    let mut changed = false;
    let mut nodes = Vec::with_capacity(graph.node.len());
    for old in std::mem::take(&mut graph.node) {
        let (true, Some(out)) = (is(&old, "MatMulInteger"), old.output.first().cloned()) else {
            nodes.push(old);
            continue;
        };
        changed = true;
        let part = |part: String| format!("{out}/{part}");
        let sides: Vec<String> = (0..2).map(|side| part(format!("side{side}"))).collect();
        for (side, name) in sides.iter().enumerate() {
            let Some(input) = old.input.get(side) else { continue };
            let raw = part(format!("raw{side}"));
            // The third and the fourth input are zero points.
            match old.input.get(side + 2).filter(|zero| !zero.is_empty()) {
                None => nodes.push(to_float(input, name)),
                Some(zero) => {
                    let point = part(format!("zero{side}"));
                    nodes.push(to_float(input, &raw));
                    nodes.push(to_float(zero, &point));
                    nodes.push(node("Sub", &[&raw, &point], &[name]));
                }
            }
        }
        let sides: Vec<&str> = sides.iter().map(String::as_str).collect();
        nodes.push(node("MatMul", &sides, &[&out]));
    }
    graph.node = nodes;
    changed
}

/// An int8 table and its scale, by the name of their product.
#[derive(Clone)]
struct Weights {
    table: String,
    scale: String,
    /// Sizes of the table.
    rows: i64,
    columns: i64,
    /// Sizes of the scale.
    scale_dims: Vec<i64>,
}

impl Weights {
    /// Whether the scale holds one number, or one a column.
    fn by_column(&self) -> bool {
        let count: i64 = self.scale_dims.iter().product();
        count == 1 || (count == self.columns && self.scale_dims.last() == Some(&self.columns))
    }

    /// Whether the scale holds one number a row, in a column.
    fn by_row(&self) -> bool {
        self.scale_dims == [self.rows, 1]
    }
}

/// Rewrites what can be; `false` if nothing could.
fn rewrite(graph: &mut GraphProto) -> bool {
    // A subgraph may use any name outside it; such a graph stays as it is.
    if graph.node.iter().flat_map(|node| &node.attribute).any(|attribute| attribute.g.is_some()) {
        return false;
    }
    let weights = weights(graph);
    if weights.is_empty() {
        return false;
    }
    let mut quantized = BTreeSet::new();
    let mut vectors = BTreeSet::new();
    let mut nodes = Vec::with_capacity(graph.node.len());
    let mut changed = false;
    for old in std::mem::take(&mut graph.node) {
        let found = |place: usize| old.input.get(place).and_then(|name| weights.get(name));
        match (old.op_type.as_deref(), old.input.as_slice(), old.output.as_slice()) {
            (Some("MatMul"), [left, _], [out]) if found(1).is_some_and(Weights::by_column) => {
                if let Some(weights) = found(1) {
                    if quantized.insert(left.clone()) {
                        nodes.push(quantize(left));
                    }
                    vectors.insert(weights.scale.clone());
                    nodes.extend(product(left, weights, out));
                    changed = true;
                }
            }
            (Some("Gather"), [_, places], [out])
                if found(0).is_some_and(Weights::by_row) && first_axis(&old) =>
            {
                if let Some(weights) = found(0) {
                    nodes.extend(picked(places, weights, out));
                    changed = true;
                }
            }
            _ => nodes.push(old),
        }
    }
    graph.node = nodes;
    let flat: Vec<TensorProto> =
        graph.initializer.iter().filter(|tensor| named(tensor, &vectors)).map(flattened).collect();
    graph.initializer.extend(flat);
    prune(graph);
    changed
}

/// Every `Mul(Cast(int8 table), scale)` over constants, by the name of its output.
fn weights(graph: &GraphProto) -> BTreeMap<String, Weights> {
    let constants: BTreeMap<&str, &TensorProto> =
        graph.initializer.iter().filter_map(|tensor| Some((tensor.name.as_deref()?, tensor))).collect();
    let casts: BTreeMap<&str, &str> =
        graph.node.iter().filter(|node| is(node, "Cast")).filter_map(cast).collect();
    let table = |name: &str| {
        let tensor = *constants.get(casts.get(name)?)?;
        (tensor.data_type == Some(DataType::INT8)).then_some(tensor)
    };
    let scaled = |node: &NodeProto| {
        let (left, right, out) = match (node.input.as_slice(), node.output.as_slice()) {
            ([left, right], [out]) => (left.as_str(), right.as_str(), out),
            _ => return None,
        };
        let (table, scale) = match (table(left), table(right)) {
            (Some(table), None) => (table, *constants.get(right)?),
            (None, Some(table)) => (table, *constants.get(left)?),
            _ => return None,
        };
        let [rows, columns] = *table.dims.as_slice() else { return None };
        let float = scale.data_type == Some(DataType::FLOAT);
        let found = Weights {
            table: table.name.clone()?,
            scale: scale.name.clone()?,
            rows,
            columns,
            scale_dims: scale.dims.clone(),
        };
        float.then(|| (out.clone(), found))
    };
    graph.node.iter().filter(|node| is(node, "Mul")).filter_map(scaled).collect()
}

fn is(node: &NodeProto, kind: &str) -> bool {
    node.op_type.as_deref() == Some(kind)
}

/// Output and input of a cast to float.
fn cast(node: &NodeProto) -> Option<(&str, &str)> {
    let float = node.attribute.iter().any(|attribute| attribute.i == Some(i64::from(DataType::FLOAT.0)));
    match (node.input.as_slice(), node.output.as_slice()) {
        ([from], [to]) if float => Some((to, from)),
        _ => None,
    }
}

/// Whether a `Gather` picks rows.
fn first_axis(node: &NodeProto) -> bool {
    node.attribute.iter().all(|attribute| attribute.name.as_deref() != Some("axis") || attribute.i == Some(0))
}

fn named(tensor: &TensorProto, names: &BTreeSet<String>) -> bool {
    tensor.name.as_ref().is_some_and(|name| names.contains(name))
}

/// The same scale as a vector, under the name that [`product`] uses.
fn flattened(scale: &TensorProto) -> TensorProto {
    let count: i64 = scale.dims.iter().product();
    let name = scale.name.as_deref().map(|name| format!("{name}/flat"));
    TensorProto { dims: vec![count], name, ..scale.clone() }
}

fn node(kind: &str, input: &[&str], output: &[&str]) -> NodeProto {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let name = output.first().map(|name| format!("{name}/{kind}"));
    NodeProto {
        name,
        input: owned(input),
        output: owned(output),
        op_type: Some(kind.to_owned()),
        ..NodeProto::default()
    }
}

fn to_float(input: &str, output: &str) -> NodeProto {
    let to = AttributeProto {
        name: Some("to".to_owned()),
        i: Some(i64::from(DataType::FLOAT.0)),
        r#type: Some(AttributeType::INT),
        ..AttributeProto::default()
    };
    NodeProto { attribute: vec![to], ..node("Cast", &[input], &[output]) }
}

/// Activations as u8 with the scale and zero point of their range.
fn quantize(left: &str) -> NodeProto {
    let part = |part: &str| format!("{left}/{part}");
    node("DynamicQuantizeLinear", &[left], &[&part("u8"), &part("scale"), &part("zero")])
}

/// The product of quantised activations and a table, as floats.
fn product(left: &str, weights: &Weights, out: &str) -> [NodeProto; 4] {
    let (of_left, of_out) = (|part: &str| format!("{left}/{part}"), |part: &str| format!("{out}/{part}"));
    let vector = format!("{}/flat", weights.scale);
    [
        node("MatMulInteger", &[&of_left("u8"), &weights.table, &of_left("zero")], &[&of_out("i32")]),
        to_float(&of_out("i32"), &of_out("f32")),
        node("Mul", &[&of_left("scale"), &vector], &[&of_out("scale")]),
        node("Mul", &[&of_out("f32"), &of_out("scale")], &[out]),
    ]
}

/// Rows of a table, picked as integers and scaled after.
fn picked(places: &str, weights: &Weights, out: &str) -> [NodeProto; 4] {
    let of_out = |part: &str| format!("{out}/{part}");
    [
        node("Gather", &[&weights.table, places], &[&of_out("i8")]),
        to_float(&of_out("i8"), &of_out("f32")),
        node("Gather", &[&weights.scale, places], &[&of_out("scale")]),
        node("Mul", &[&of_out("f32"), &of_out("scale")], &[out]),
    ]
}

/// Drops nodes and constants that nothing uses any more.
fn prune(graph: &mut GraphProto) {
    let mut used: BTreeSet<String> = graph.output.iter().filter_map(|value| value.name.clone()).collect();
    let mut kept = Vec::with_capacity(graph.node.len());
    for node in std::mem::take(&mut graph.node).into_iter().rev() {
        if node.output.iter().any(|name| used.contains(name)) {
            used.extend(node.input.iter().cloned());
            kept.push(node);
        }
    }
    kept.reverse();
    graph.node = kept;
    graph.initializer.retain(|tensor| named(tensor, &used));
}
