//! The gRPC face: decode, call the service, encode.

use assay_avap::{grammar_hash, version};
use assay_domain::Failure;
use assay_proto::parser;
use assay_proto::parser::parser_service_server::ParserService;
use assay_rpc::Context;
use assay_wire::{block_state, list_to_wire, to_status};
use tonic::{Request, Response, Status};

use crate::service::{Expectation, Parsing, Reading};
use assay_languages as languages;

/// Serves [`Parsing`] over gRPC.
#[derive(Debug, Clone)]
pub(crate) struct Grpc(pub(crate) Parsing);

fn reading(options: Option<parser::ParseOptions>) -> Reading {
    let options = options.unwrap_or_default();
    Reading { server_compat: options.server_compat, profiles: options.profiles }
}

impl Grpc {
    async fn do_parse(
        &self,
        context: &Context,
        request: parser::ParseRequest,
    ) -> Result<parser::ParseResponse, Failure> {
        let reading = reading(request.options);
        let programs = request.programs.into_iter().map(|program| (program.language, program.code)).collect();
        let parsed = context.within(self.0.parse(programs, &reading, context.deadline())).await??;
        let programs = parsed
            .iter()
            .map(|(status, diagnostics)| parser::ParsedProgram {
                state: block_state(status).0,
                diagnostics: list_to_wire(diagnostics),
            })
            .collect();
        Ok(parser::ParseResponse { programs, version: version().to_owned(), grammar_hash: grammar_hash() })
    }

    async fn do_parse_answer(
        &self,
        context: &Context,
        request: parser::ParseAnswerRequest,
    ) -> Result<parser::ParseAnswerResponse, Failure> {
        let reading = reading(request.options);
        let expectation = Expectation {
            default_language: request.default_language,
            wanted_language: request.wanted_language,
            documentation: request.documentation,
        };
        let work = self.0.parse_answer(request.answer, expectation, &reading, context.deadline());
        let blocks = context.within(work).await??;
        Ok(parser::ParseAnswerResponse {
            blocks: list_to_wire(&blocks),
            version: version().to_owned(),
            grammar_hash: grammar_hash(),
        })
    }
}

fn context<T>(request: &Request<T>) -> Result<Context, Status> {
    Context::from_request(request).map_err(|failure| to_status(&failure))
}

fn respond<T>(result: Result<T, Failure>) -> Result<Response<T>, Status> {
    result.map(Response::new).map_err(|failure| to_status(&failure))
}

#[tonic::async_trait]
impl ParserService for Grpc {
    async fn parse(
        &self,
        request: Request<parser::ParseRequest>,
    ) -> Result<Response<parser::ParseResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_parse(&context, request.into_inner()).await)
    }

    async fn parse_answer(
        &self,
        request: Request<parser::ParseAnswerRequest>,
    ) -> Result<Response<parser::ParseAnswerResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_parse_answer(&context, request.into_inner()).await)
    }

    async fn describe(
        &self,
        request: Request<parser::DescribeRequest>,
    ) -> Result<Response<parser::DescribeResponse>, Status> {
        context(&request)?;
        Ok(Response::new(parser::DescribeResponse {
            version: version().to_owned(),
            grammar_hash: grammar_hash(),
            profiles: self.0.options().profiles.clone(),
            languages: languages::names().into_iter().map(str::to_owned).collect(),
        }))
    }
}
