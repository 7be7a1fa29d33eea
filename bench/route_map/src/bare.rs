//! The baseline: the same framework and runtime, one route, a constant body.

use axum::{Router, body::Bytes, http::header, routing::get};

/// Serves `size` bytes until the process is killed.
pub(crate) fn serve(size: usize) {
    let body = Bytes::from("x".repeat(size));
    let answer = move || async move { ([(header::CONTENT_TYPE, "application/json;charset=UTF-8")], body) };
    let app: Router = Router::new().route("/route_service/v1/railmapDetail", get(answer));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true)));
        println!("address http://{}", axum::serve::Listener::local_addr(&listener).expect("an address"));
        axum::serve(listener, app).await.expect("serving");
    });
}
