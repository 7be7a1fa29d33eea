//! The protocol's side: what the server says of itself, the list of tools, and calls.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool as Described, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::Value;

use crate::{answer, backend::Backend, request::request, schema, tool::Tool};

const INSTRUCTIONS: &str = "Kaisatsu answers questions about railway stations, route maps and journeys in Japan, and \
    recognises what is in pictures: categories, objects with their boxes, text, items of a catalogue, similar images. \
    `station` and `searchCourse` take names in Japanese, kana or romaji. Tools with the argument `token` act for one \
    user of the application; `getToken` makes a token. After a recognition, `feedbackToCandidate` says whether a \
    candidate was right.";

/// Offers the tools of a document, and sends their calls to a backend.
pub(crate) struct Assistant<B> {
    shared: Arc<Shared<B>>,
}

struct Shared<B> {
    tools: Vec<Tool>,
    described: Vec<Described>,
    backend: B,
}

impl<B> Clone for Assistant<B> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<B: Backend> Assistant<B> {
    /// Offers what an OpenAPI document describes.
    pub(crate) fn new(document: &Value, backend: B) -> Self {
        let tools = schema::tools(document, B::READS_FILES);
        let described = tools.iter().map(describe).collect();
        Self { shared: Arc::new(Shared { tools, described, backend }) }
    }
}

fn describe(tool: &Tool) -> Described {
    let annotations =
        ToolAnnotations::new().read_only(tool.is_read_only()).destructive(tool.is_destructive()).open_world(false);
    Described::new(tool.name.clone(), tool.description.clone(), tool.input_schema()).with_annotations(annotations)
}

impl<B: Backend> ServerHandler for Assistant<B> {
    fn get_info(&self) -> ServerConfig {
        let own = Implementation::new("kaisatsu", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own)
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Described> {
        self.shared.described.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.described.clone()))
    }

    /// Everything that goes wrong with a call is a result of the tool, which the assistant reads and can mend. Only a
    /// tool that does not exist is an error of the protocol.
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Shared { tools, backend, .. } = &*self.shared;
        let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {}", call.name), None));
        };
        let arguments = call.arguments.unwrap_or_default();
        let asked = context.extensions.get::<Parts>();
        let answered = match request(tool, &arguments, backend, asked).await {
            Ok(request) => backend.send(request, asked).await,
            Err(rule) => Err(rule),
        };
        let result = match answered {
            Ok(response) => answer::result(&tool.name, &response),
            Err(sentence) => answer::failed(sentence),
        };
        Ok(result.into())
    }
}
