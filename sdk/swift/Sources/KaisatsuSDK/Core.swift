import Foundation

/// What all groups of operations share: address, key, retries, errors and logging.
struct Core: Sendable {
  private let base: String
  private let key: String
  private let options: Options
  private let transport: any Transport
  private let retry: Retry

  init(base: URL, key: String, options: Options) {
    let address = base.absoluteString
    self.base = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.key = key
    self.options = options
    transport = options.transport ?? SessionTransport(configure: options.configureSession)
    retry = Retry(options)
  }

  /// The path of an operation of the route map.
  func route(_ operation: String) -> String {
    "/\(Query.escape(options.routeSegment))/v1/\(operation)"
  }

  /// The path of an operation of image recognition.
  func image(_ operation: String) -> String {
    "/imageRecognition/v1/\(operation)"
  }

  /// Makes a call and decodes its JSON.
  func decode<Answer: Decodable>(_ call: Call, as _: Answer.Type = Answer.self) async throws(KaisatsuError) -> Answer {
    let answer = try await send(call)
    return try Self.decode(answer)
  }

  /// Makes a call whose answer has no body that matters.
  func perform(_ call: Call) async throws(KaisatsuError) {
    _ = try await send(call)
  }

  /// Makes a call whose answer is bytes.
  func bytes(_ call: Call) async throws(KaisatsuError) -> Payload {
    let answer = try await send(call)
    return Payload(data: answer.body, contentType: answer.headers["content-type"] ?? "application/octet-stream")
  }

  private func send(_ call: Call) async throws(KaisatsuError) -> TransportAnswer {
    let begin = Self.uptime
    let (body, contentType) = try Self.encode(call.body)
    var attempt = 1
    while true {
      let left = options.totalTimeout - (Self.uptime - begin)
      let request = try request(call, body, contentType, timeout: min(options.timeout, left))
      let failure: KaisatsuError
      let wait: TimeInterval?
      do {
        let answer = try await exchange(request, call.path, attempt)
        if (200..<300).contains(answer.status) { return answer }
        let refusal = Self.refusal(answer)
        failure = Self.error(refusal)
        wait = retry.wait(after: attempt, refusal, idempotent: call.idempotent, once: call.onceKey != nil)
      } catch {
        failure = Self.error(error)
        wait = retry.wait(after: attempt, error, idempotent: call.idempotent)
      }
      // A wait that the time does not allow would end in a time-out that hides why.
      guard let wait, wait < options.totalTimeout - (Self.uptime - begin) else { throw failure }
      do {
        try await Task.sleep(nanoseconds: UInt64(wait * 1_000_000_000))
      } catch {
        throw .cancelled
      }
      attempt += 1
    }
  }

  private func exchange(
    _ request: TransportRequest, _ path: String, _ attempt: Int
  ) async throws(TransportFailure) -> TransportAnswer {
    let begin = Self.uptime
    func log(status: Int?, requestId: String?, failure: String?) {
      options.log?(
        LogEntry(
          method: request.method, path: path, attempt: attempt, status: status, duration: Self.uptime - begin,
          requestId: requestId, failure: failure))
    }
    if Task.isCancelled { throw TransportFailure(kind: .cancelled, message: "the call was cancelled") }
    do {
      let answer = try await transport.send(request)
      log(status: answer.status, requestId: answer.headers["x-request-id"], failure: nil)
      return answer
    } catch {
      log(status: nil, requestId: nil, failure: error.message)
      throw error
    }
  }

  private func request(
    _ call: Call, _ body: Data?, _ contentType: String?, timeout: TimeInterval
  ) throws(KaisatsuError) -> TransportRequest {
    var query = call.query
    var headers = ["User-Agent": "kaisatsu-sdk-swift/\(sdkVersion)", "Accept": "*/*"]
    if let contentType { headers["Content-Type"] = contentType }
    if let onceKey = call.onceKey { headers["Idempotency-Key"] = onceKey }
    if !call.open {
      switch options.keyPlacement {
      case .header: headers["X-API-Key"] = key
      case .query: query.add("APIKEY", key)
      }
    }
    let address = base + call.path + (query.items.isEmpty ? "" : "?" + query.encoded)
    guard let url = URL(string: address), url.host != nil else {
      throw .invalidInput(message: "the server's address is not one that http can use")
    }
    return TransportRequest(
      method: call.method.rawValue, url: url, headers: headers, body: body, timeout: timeout,
      maxAnswerBytes: options.maxAnswerBytes, progress: call.progress)
  }

  private static func encode(_ body: Call.Body) throws(KaisatsuError) -> (Data?, String?) {
    switch body {
    case .none: return (nil, nil)
    case .json(let data): return (data, "application/json;charset=UTF-8")
    case .bytes(let picture): return (try picture.read(), "application/octet-stream")
    case .form(let form):
      let (data, boundary) = try form.encoded()
      return (data, "multipart/form-data; boundary=\(boundary)")
    }
  }

  private static var uptime: TimeInterval { ProcessInfo.processInfo.systemUptime }
}

extension Core {
  static func decode<Answer: Decodable>(_ answer: TransportAnswer) throws(KaisatsuError) -> Answer {
    func malformed(_ message: String) -> KaisatsuError {
      .malformedAnswer(message: message, status: answer.status, requestId: answer.headers["x-request-id"])
    }
    guard String(data: answer.body, encoding: .utf8) != nil else { throw malformed("the answer is not UTF-8") }
    do {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .custom { decoder in
        let container = try decoder.singleValueContainer()
        guard let date = Timestamp.date(try container.decode(String.self)) else {
          throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time in UTC")
        }
        return date
      }
      return try decoder.decode(Answer.self, from: answer.body)
    } catch let error as DecodingError {
      throw malformed("the answer is not what this operation answers: \(describe(error))")
    } catch {
      throw malformed("the answer is not JSON")
    }
  }

  /// Where in the answer something is missing or of another type; never the value itself.
  private static func describe(_ error: DecodingError) -> String {
    func path(_ context: DecodingError.Context) -> String {
      context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(path(context)) lacks \(key.stringValue)"
    case .typeMismatch(let type, let context): return "\(path(context)) is not \(type)"
    case .valueNotFound(_, let context): return "\(path(context)) is null"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "not JSON" : "\(path(context)): \(context.debugDescription)"
    @unknown default: return "it cannot be read"
    }
  }

  /// Reads both forms of failures: that of the route map and that of image recognition.
  static func refusal(_ answer: TransportAnswer) -> ServerFailure {
    struct Body: Decodable {
      struct Failure: Decodable {
        let code: String
        let message: String
      }
      struct RouteFailure: Decodable {
        let code: String
        let Message: String
      }
      struct ResultSet: Decodable {
        let Error: RouteFailure
      }
      let error: Failure?
      let ResultSet: ResultSet?
    }
    let body = try? JSONDecoder().decode(Body.self, from: answer.body)
    return ServerFailure(
      status: answer.status, code: body?.error?.code ?? body?.ResultSet?.Error.code,
      message: body?.error?.message ?? body?.ResultSet?.Error.Message
        ?? "the server answered with status \(answer.status)",
      requestId: answer.headers["x-request-id"], retryAfter: Retry.seconds(answer.headers["retry-after"]))
  }

  static func error(_ refusal: ServerFailure) -> KaisatsuError {
    guard refusal.status < 400 else { return KaisatsuError(refusal) }
    // A redirect would take the key elsewhere.
    let message = "status \(refusal.status) is not one that this server answers with"
    return .malformedAnswer(message: message, status: refusal.status, requestId: refusal.requestId)
  }

  static func error(_ failure: TransportFailure) -> KaisatsuError {
    switch failure.kind {
    case .notSent, .cut, .permanent: return .transport(message: failure.message)
    case .timedOut: return .timeout(message: failure.message)
    case .cancelled: return .cancelled
    case .answerTooLarge: return .malformedAnswer(message: failure.message, status: nil, requestId: nil)
    }
  }
}
