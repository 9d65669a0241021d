//! Which ONNX file of a repository suits this CPU: 8-bit weights where it multiplies 8-bit integers fast.

/// What the CPU can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cpu {
    /// x86-64 that multiplies 8-bit integers exactly (AVX-512 VNNI).
    Vnni,
    /// x86-64 with AVX2: sums of full-range signed weights may saturate.
    Avx2,
    /// ARM with dot products of 8-bit integers.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code, reason = "found on ARM alone"))]
    Arm,
    /// Anything else.
    Plain,
}

/// Weights of 8 bits whose range suits every CPU, best first.
const ANY: &[&str] = &["model_int8.onnx", "model_quantized.onnx", "model_uint8.onnx"];
/// Weights of 32 bits.
const FLOAT: &str = "model.onnx";

// === impl Cpu ===

impl Cpu {
    /// That of this machine.
    #[must_use]
    pub(crate) fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512vnni") {
                return Self::Vnni;
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                return Self::Avx2;
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("dotprod") {
            return Self::Arm;
        }
        Self::Plain
    }

    /// File names, best first.
    fn names(self) -> Vec<&'static str> {
        let (first, last): (&[&str], &[&str]) = match self {
            Self::Vnni => (
                &["model_qint8_avx512_vnni.onnx", "model_qint8_avx512.onnx", "model_quint8_avx2.onnx"],
                &[FLOAT, "model_qint8_arm64.onnx"],
            ),
            Self::Avx2 => (
                &["model_quint8_avx2.onnx"],
                &[FLOAT, "model_qint8_avx512_vnni.onnx", "model_qint8_avx512.onnx", "model_qint8_arm64.onnx"],
            ),
            Self::Arm => (
                &["model_qint8_arm64.onnx"],
                &[FLOAT, "model_qint8_avx512_vnni.onnx", "model_qint8_avx512.onnx", "model_quint8_avx2.onnx"],
            ),
            Self::Plain => {
                let all = [&[FLOAT], ANY].concat();
                return [
                    all.as_slice(),
                    &["model_quint8_avx2.onnx", "model_qint8_avx512.onnx", "model_qint8_arm64.onnx"],
                ]
                .concat();
            }
        };
        [first, ANY, last].concat()
    }

    fn reason(self, name: &str) -> &'static str {
        match (self, name == FLOAT) {
            (Self::Plain, true) => "32-bit weights: this CPU has no fast 8-bit products",
            (_, true) => "32-bit weights: the repository has none of 8 bits that suit this CPU",
            (Self::Vnni, false) => "8-bit weights: this CPU multiplies them exactly (AVX-512 VNNI)",
            (Self::Avx2, false) if name.contains("avx2") => "8-bit weights made for AVX2, which this CPU has",
            (Self::Avx2, false) => "8-bit weights: this CPU has AVX2",
            (Self::Arm, false) => "8-bit weights: this CPU has dot products of 8 bits",
            (Self::Plain, false) => "8-bit weights: the repository has none of 32 bits",
        }
    }
}

/// The file that suits the CPU, and why. `None` if the repository has none of the usual names.
pub(crate) fn choose<'a>(paths: &[&'a str], cpu: Cpu) -> Option<(&'a str, &'static str)> {
    let whole = |path: &&&str| !split(paths, path);
    cpu.names().into_iter().find_map(|name| {
        let of = |folder: &str| paths.iter().filter(whole).find(|path| **path == format!("{folder}{name}"));
        let found = of("onnx/").or_else(|| of(""))?;
        Some((*found, cpu.reason(name)))
    })
}

/// Whether the weights are in a file of their own, beside the graph.
pub(crate) fn split(paths: &[&str], path: &str) -> bool {
    paths.iter().any(|other| *other == format!("{path}_data") || *other == format!("{path}.data"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const EXPORTS: &[&str] = &[
        "onnx/model.onnx",
        "onnx/model_O1.onnx",
        "onnx/model_O4.onnx",
        "onnx/model_qint8_arm64.onnx",
        "onnx/model_qint8_avx512.onnx",
        "onnx/model_qint8_avx512_vnni.onnx",
        "onnx/model_quint8_avx2.onnx",
    ];

    #[test]
    fn each_cpu_gets_its_fast_and_exact_export() {
        for (cpu, name) in [
            (Cpu::Vnni, "onnx/model_qint8_avx512_vnni.onnx"),
            (Cpu::Avx2, "onnx/model_quint8_avx2.onnx"),
            (Cpu::Arm, "onnx/model_qint8_arm64.onnx"),
            (Cpu::Plain, "onnx/model.onnx"),
        ] {
            assert_eq!(choose(EXPORTS, cpu).unwrap().0, name, "{cpu:?}");
        }
    }

    #[test]
    fn exports_for_other_engines_are_never_chosen() {
        let paths =
            ["model_O3.onnx", "model_fp16.onnx", "model_q4f16.onnx", "model_bnb4.onnx", "model_q4.onnx"];
        for cpu in [Cpu::Vnni, Cpu::Avx2, Cpu::Arm, Cpu::Plain] {
            assert_eq!(choose(&paths, cpu), None);
        }
    }

    #[test]
    fn eight_bits_come_before_thirty_two_where_products_are_fast() {
        let paths = ["onnx/model.onnx", "onnx/model_fp16.onnx", "onnx/model_quantized.onnx"];
        assert_eq!(choose(&paths, Cpu::Avx2).unwrap().0, "onnx/model_quantized.onnx");
        assert_eq!(choose(&paths, Cpu::Plain).unwrap().0, "onnx/model.onnx");
        assert!(choose(&["model.onnx"], Cpu::Avx2).unwrap().1.contains("none of 8 bits"));
    }

    #[test]
    fn graph_with_external_weights_is_skipped() {
        let paths = ["onnx/model.onnx", "onnx/model.onnx_data", "model.onnx"];
        assert_eq!(choose(&paths, Cpu::Plain).unwrap().0, "model.onnx");
    }
}
