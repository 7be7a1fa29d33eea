import Foundation

@testable import KaisatsuSDK

/// Answers calls with what a test has prepared, and remembers the requests.
final class StubTransport: Transport, @unchecked Sendable {
  typealias Outcome = Result<TransportAnswer, TransportFailure>

  private let lock = NSLock()
  private var outcomes: [Outcome]
  private var seen: [TransportRequest] = []

  /// The outcomes in order; the last one stays.
  init(_ outcomes: [Outcome]) {
    self.outcomes = outcomes
  }

  var requests: [TransportRequest] { lock.withLock { seen } }

  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
    let outcome = lock.withLock {
      seen.append(request)
      return outcomes.count > 1 ? outcomes.removeFirst() : outcomes[0]
    }
    return try outcome.get()
  }
}

extension StubTransport.Outcome {
  static func json(_ text: String, status: Int = 200, _ headers: [String: String] = [:]) -> Self {
    .success(TransportAnswer(status: status, headers: headers, body: Data(text.utf8)))
  }

  static func fails(_ kind: TransportFailure.Kind) -> Self {
    .failure(TransportFailure(kind: kind, message: "as prepared"))
  }
}

/// A client that waits for nothing, with the secret key `ksk_secret`.
func client(_ transport: StubTransport, _ change: (inout Options) -> Void = { _ in }) -> KaisatsuServer {
  var options = Options()
  options.transport = transport
  options.backoff = 0
  change(&options)
  return KaisatsuServer(key: "ksk_secret", address: URL(string: "https://example.org/")!, options: options)
}

/// A file of the repository, by its path from the root.
func repositoryFile(_ path: String) throws -> Data {
  var root = URL(fileURLWithPath: #filePath)
  for _ in 0..<5 { root.deleteLastPathComponent() }
  return try Data(contentsOf: root.appendingPathComponent(path))
}

/// The error that a call throws; nil when it throws none.
func failure<Answer>(of call: () async throws(KaisatsuError) -> Answer) async -> KaisatsuError? {
  do {
    _ = try await call()
    return nil
  } catch {
    return error
  }
}
