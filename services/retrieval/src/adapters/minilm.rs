//! all-MiniLM-L6-v2 in this process: BERT forward pass, mean pooling over the attention mask, unit length.

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::models::{MINILM, ModelFile};
use crate::ports::Embedder;
use async_trait::async_trait;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, HiddenAct, PositionEmbeddingType};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tokenizers::{Tokenizer, TruncationParams};

/// Longest input, in tokens with the two special ones.
const MAX_TOKENS: usize = 256;
/// Most tokens, padding included, in one forward pass; bounds its memory.
const BATCH_TOKENS: usize = 2048;
/// Most texts in one forward pass.
const BATCH_TEXTS: usize = 32;
/// Components of a vector.
const DIMS: usize = 384;

/// The MiniLM embedder. Weights are loaded at the first use and verified against their checksum.
#[derive(Debug)]
pub struct MiniLm {
    identity: EmbeddingIdentity,
    folder: PathBuf,
    model: Arc<OnceLock<Result<Loaded, String>>>,
}

struct Loaded {
    model: BertModel,
    tokenizer: Tokenizer,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Loaded")
    }
}

impl MiniLm {
    /// Uses the weights below the models folder. Nothing is read before the first use.
    #[must_use]
    pub fn new(models_dir: &Path) -> Self {
        let digest = MINILM.files.first().map_or_else(String::new, |file| file.sha256.to_owned());
        Self {
            identity: EmbeddingIdentity { model: MINILM.name.to_owned(), digest, dims: DIMS },
            folder: MINILM.folder(models_dir),
            model: Arc::default(),
        }
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let (cell, folder) = (Arc::clone(&self.model), self.folder.clone());
        assay_rpc::task::blocking(move || {
            let loaded =
                cell.get_or_init(|| load(&folder)).as_ref().map_err(|why| Error::Embedding(why.clone()))?;
            loaded.embed(&texts).map_err(|why| Error::Embedding(why.to_string()))
        })
        .await
        .map_err(|panic| Error::Internal(panic.to_string()))?
    }
}

fn load(folder: &Path) -> Result<Loaded, String> {
    let read = |name: &str| -> Result<Vec<u8>, String> {
        let cure = "fetch it with `assay models pull`";
        let file: &ModelFile =
            MINILM.files.iter().find(|file| file.name == name).ok_or("unknown model file")?;
        let path = folder.join(name);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}; {cure}", path.display()))?;
        if file.matches(&bytes) {
            Ok(bytes)
        } else {
            Err(format!("{} is not the file it should be; {cure}", path.display()))
        }
    };
    let mut tokenizer =
        Tokenizer::from_bytes(read("tokenizer.json")?).map_err(|error| format!("tokenizer: {error}"))?;
    tokenizer
        .with_truncation(Some(TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() }))
        .map_err(|error| format!("tokenizer: {error}"))?;
    tokenizer.with_padding(None);
    let build = || -> candle_core::Result<BertModel> {
        let weights = read("model.safetensors").map_err(candle_core::Error::msg)?;
        let vars = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        BertModel::load(vars, &config())
    };
    Ok(Loaded { model: build().map_err(|error| error.to_string())?, tokenizer })
}

/// The model's published configuration.
fn config() -> Config {
    Config {
        vocab_size: 30_522,
        hidden_size: DIMS,
        num_hidden_layers: 6,
        num_attention_heads: 12,
        intermediate_size: 1536,
        hidden_act: HiddenAct::Gelu,
        hidden_dropout_prob: 0.1,
        max_position_embeddings: 512,
        type_vocab_size: 2,
        initializer_range: 0.02,
        layer_norm_eps: 1e-12,
        pad_token_id: 0,
        position_embedding_type: PositionEmbeddingType::Absolute,
        use_cache: true,
        classifier_dropout: None,
        model_type: Some("bert".to_owned()),
    }
}

impl Loaded {
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        let encode =
            |text: &String| self.tokenizer.encode(text.as_str(), true).map(|found| found.get_ids().to_vec());
        let ids: Vec<Vec<u32>> = match texts {
            [one] => vec![encode(one)?],
            many => many.par_iter().map(encode).collect::<Result<_, _>>()?,
        };
        // Sorted by length, so that a batch pads little.
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(ids.get(*place).map_or(0, Vec::len)));
        let batches = batches(&order, &ids);
        // Batches beside each other keep all cores busy also in the parts that are no matrix product.
        let forward = |batch: &Vec<usize>| {
            let rows: Vec<&[u32]> =
                batch.iter().filter_map(|place| ids.get(*place).map(Vec::as_slice)).collect();
            self.forward(&rows)
        };
        let vectors: Vec<Vec<Vec<f32>>> = match batches.as_slice() {
            [one] => vec![forward(one)?],
            many => many.par_iter().map(forward).collect::<candle_core::Result<_>>()?,
        };
        let mut out = vec![Vec::new(); texts.len()];
        for (place, vector) in batches.iter().flatten().zip(vectors.into_iter().flatten()) {
            if let Some(slot) = out.get_mut(*place) {
                *slot = vector;
            }
        }
        Ok(out)
    }

    /// One pass over a batch: token states, averaged over the real tokens, scaled to unit length.
    fn forward(&self, rows: &[&[u32]]) -> candle_core::Result<Vec<Vec<f32>>> {
        let (count, longest) = (rows.len(), rows.iter().map(|row| row.len()).max().unwrap_or(0));
        let mut ids = vec![0_u32; count * longest];
        let mut mask = vec![0_f32; count * longest];
        for ((row, ids), mask) in rows.iter().zip(ids.chunks_mut(longest)).zip(mask.chunks_mut(longest)) {
            for ((slot, seen), id) in ids.iter_mut().zip(mask).zip(*row) {
                *slot = *id;
                *seen = 1.0;
            }
        }
        let ids = Tensor::from_vec(ids, (count, longest), &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, (count, longest), &Device::Cpu)?;
        let states = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let weights = mask.unsqueeze(2)?;
        let sums = states.broadcast_mul(&weights)?.sum(1)?;
        let mut vectors = sums.broadcast_div(&weights.sum(1)?)?.to_vec2::<f32>()?;
        for vector in &mut vectors {
            let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
            vector.iter_mut().for_each(|x| *x /= norm);
        }
        Ok(vectors)
    }
}

/// Groups places (longest text first) so that each group, padded to its longest, stays within the bounds.
fn batches(order: &[usize], ids: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut longest = 0;
    for place in order {
        match out.last_mut() {
            Some(batch) if batch.len() < BATCH_TEXTS && (batch.len() + 1) * longest <= BATCH_TOKENS => {
                batch.push(*place)
            }
            _ => {
                longest = ids.get(*place).map_or(0, Vec::len);
                out.push(vec![*place]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_hold_every_text_once() {
        let ids: Vec<Vec<u32>> = (0..100).map(|n| vec![1; 256 - n * 2]).collect();
        let order: Vec<usize> = (0..100).collect();
        let groups = batches(&order, &ids);
        assert!(groups.iter().all(|group| group.len() * ids[group[0]].len() <= BATCH_TOKENS));
        assert_eq!(groups.concat(), order);
    }
}
