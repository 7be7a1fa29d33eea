import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport of `URLSession`. It works with a delegate, because only a delegate can stop an answer that is too
/// large, tell of upload progress, and do both on Linux too.
final class SessionTransport: Transport {
  private let session: URLSession
  private let exchanges: Exchanges

  init(configure: (@Sendable (URLSessionConfiguration) -> Void)?) {
    let configuration = URLSessionConfiguration.ephemeral
    // No answer is kept on disk or in memory: pictures and users' data pass through here.
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configure?(configuration)
    exchanges = Exchanges()
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
    let task = task(for: request)
    let exchange = Exchange(task: task, limit: request.maxAnswerBytes, progress: request.progress)
    exchanges.add(exchange)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.start(timeout: request.timeout, continuation)
      }
    } onCancel: {
      exchange.finish(.failure(TransportFailure(kind: .cancelled, message: "the call was cancelled")))
    }
    return try result.get()
  }

  private func task(for request: TransportRequest) -> URLSessionTask {
    var wire = URLRequest(url: request.url)
    wire.httpMethod = request.method
    wire.timeoutInterval = request.timeout
    for (name, value) in request.headers {
      wire.setValue(value, forHTTPHeaderField: name)
    }
    guard let body = request.body else { return session.dataTask(with: wire) }
    return session.uploadTask(with: wire, from: body)
  }
}

/// The exchanges under way, by task. It is the session's delegate; the session keeps it alive.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var byTask: [Int: Exchange] = [:]

  func add(_ exchange: Exchange) {
    lock.withLock { byTask[exchange.task.taskIdentifier] = exchange }
  }

  private func of(_ task: URLSessionTask) -> Exchange? {
    lock.withLock { byTask[task.taskIdentifier] }
  }

  func urlSession(
    _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let goesOn = of(dataTask)?.receive(response) ?? false
    completionHandler(goesOn ? .allow : .cancel)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    of(dataTask)?.receive(data)
  }

  func urlSession(
    _: URLSession, task: URLSessionTask, didSendBodyData _: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    of(task)?.progress?(totalBytesSent, totalBytesExpectedToSend)
  }

  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
    newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The server never redirects; whoever does would get the key.
    completionHandler(nil)
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = lock.withLock { byTask.removeValue(forKey: task.taskIdentifier) }
    exchange?.complete(error)
  }
}

/// One request and its answer. Whatever happens first ends it: the answer, a failure, the time, or a cancellation.
private final class Exchange: @unchecked Sendable {
  typealias Outcome = Result<TransportAnswer, TransportFailure>

  let task: URLSessionTask
  let progress: UploadProgress?
  private let limit: Int
  private let lock = NSLock()
  private var response: HTTPURLResponse?
  private var body = Data()
  private var outcome: Outcome?
  private var continuation: CheckedContinuation<Outcome, Never>?
  private var timer: DispatchWorkItem?

  init(task: URLSessionTask, limit: Int, progress: UploadProgress?) {
    self.task = task
    self.limit = limit
    self.progress = progress
  }

  func start(timeout: TimeInterval, _ continuation: CheckedContinuation<Outcome, Never>) {
    let timer = DispatchWorkItem { [weak self] in
      let message = "no complete answer within \(timeout) seconds"
      self?.finish(.failure(TransportFailure(kind: .timedOut, message: message)))
    }
    lock.lock()
    if let outcome {
      // Cancelled before it began. The task is resumed nevertheless: only then does it complete and leave the table.
      lock.unlock()
      task.resume()
      task.cancel()
      continuation.resume(returning: outcome)
      return
    }
    self.continuation = continuation
    self.timer = timer
    lock.unlock()
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: timer)
    task.resume()
  }

  func receive(_ response: URLResponse) -> Bool {
    guard let response = response as? HTTPURLResponse else { return false }
    guard response.expectedContentLength <= Int64(limit) else {
      finish(tooLarge)
      return false
    }
    return lock.withLock {
      self.response = response
      return outcome == nil
    }
  }

  func receive(_ data: Data) {
    let fits = lock.withLock {
      guard outcome == nil else { return true }
      body.append(data)
      return body.count <= limit
    }
    if !fits { finish(tooLarge) }
  }

  func complete(_ error: (any Error)?) {
    if let error {
      finish(.failure(TransportFailure(error)))
      return
    }
    let (response, body) = lock.withLock { (self.response, self.body) }
    guard let response else {
      finish(.failure(TransportFailure(kind: .cut, message: "the connection ended without an answer")))
      return
    }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers[name] = value }
    }
    finish(.success(TransportAnswer(status: response.statusCode, headers: headers, body: body)))
  }

  /// Ends the exchange unless it has ended already.
  func finish(_ result: Outcome) {
    lock.lock()
    guard outcome == nil else {
      lock.unlock()
      return
    }
    outcome = result
    let (continuation, timer) = (continuation, timer)
    (self.continuation, self.timer, body) = (nil, nil, Data())
    lock.unlock()
    timer?.cancel()
    if case .failure = result, continuation != nil { task.cancel() }
    continuation?.resume(returning: result)
  }

  private var tooLarge: Outcome {
    .failure(TransportFailure(kind: .answerTooLarge, message: "the answer has more than \(limit) bytes"))
  }
}

extension TransportFailure {
  /// What an error of the session means for the question whether the request was sent.
  init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(kind: .cut, message: "the connection failed")
      return
    }
    let kind: Kind
    switch error.code {
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .dataNotAllowed,
      .internationalRoamingOff:
      kind = .notSent
    case .timedOut: kind = .timedOut
    case .cancelled: kind = .cancelled
    case .badURL, .unsupportedURL, .secureConnectionFailed, .serverCertificateUntrusted,
      .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
      .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
      kind = .permanent
    default: kind = .cut
    }
    self.init(kind: kind, message: "\(Self.name(of: kind)) (URLError \(error.code.rawValue))")
  }

  private static func name(of kind: Kind) -> String {
    switch kind {
    case .notSent: return "no connection to the server"
    case .cut: return "the connection was cut"
    case .timedOut: return "no answer in time"
    case .answerTooLarge: return "the answer is too large"
    case .cancelled: return "the call was cancelled"
    case .permanent: return "the server cannot be reached in this way"
    }
  }
}
