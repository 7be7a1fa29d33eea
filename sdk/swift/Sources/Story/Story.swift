import Foundation
import KaisatsuSDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One step of `story.json`.
struct Step: Decodable, Sendable {
  struct Client: Decodable, Sendable {
    let key: String?
    let keyIn: String?
    let timeout: Double?
    let totalTimeout: Double?
    let attempts: Int?
    let maxAnswerBytes: Int?
  }

  let name: String
  let call: String
  let with: [String: JSONValue]?
  let client: Client?
  let take: Int?
  let cancelAfter: Double?
  let expect: [String: JSONValue]?
  let error: [String: JSONValue]?
  let save: [String: String]?
  let fault: JSONValue?
  let requests: Int?
  let sent: [String: JSONValue]?
}

/// The steps, run in order.
struct Story {
  let environment: Environment

  func run() async throws -> Int {
    let file = environment.cases.appendingPathComponent("story.json")
    let steps = try JSONDecoder().decode([Step].self, from: Data(contentsOf: file))
    var saved: [String: JSONValue] = [:]
    var failed = 0
    for step in steps {
      do {
        try await run(step, &saved)
        print("ok \(step.name)")
      } catch {
        failed += 1
        print("FAILED \(step.name): \(error)")
      }
      fflush(nil)
    }
    print("\(steps.count - failed) passed, \(failed) failed")
    return failed
  }

  private func run(_ step: Step, _ saved: inout [String: JSONValue]) async throws {
    if let fault = step.fault { try await control("POST", "fault", fault) }
    let arguments = Arguments(values: (step.with ?? [:]).mapValues { $0.filled(saved) }, pictures: environment.pictures)
    let operation = Operation(
      call: step.call, arguments: arguments, take: step.take,
      address: step.fault == nil ? environment.server : environment.proxy, key: step.client?.key ?? "standard",
      environment: environment, options: options(step))
    let outcome = try await outcome(of: operation, cancelAfter: step.cancelAfter)
    let result: JSONValue
    switch (outcome, step.error) {
    case (.success(let value), nil):
      result = value
      try Expectation.check(step.expect ?? [:], value, saved)
    case (.failure(let error), .some(let expected)):
      result = .null
      try Expectation.check(expected, error.plain, saved)
    case (.success, .some): throw Complaint("it succeeded")
    case (.failure(let error), nil): throw Complaint("\(error)")
    }
    if step.requests != nil || step.sent != nil {
      let seen = try await control("GET", "requests", nil)
      if let requests = step.requests {
        try Expectation.check(["requests": .number(Double(requests))], seen, saved)
      }
      if let sent = step.sent, case .array(let all)? = seen["seen"], let last = all.last {
        try Expectation.check(sent, last, saved)
      }
    }
    for (name, path) in step.save ?? [:] {
      saved[name] = result.at(path)
    }
  }

  private func outcome(
    of operation: Operation, cancelAfter: Double?
  ) async throws -> Result<JSONValue, KaisatsuError> {
    let task = Task { try await operation.run() }
    let canceller = cancelAfter.map { seconds in
      Task {
        try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
        task.cancel()
      }
    }
    defer { canceller?.cancel() }
    do {
      return .success(try await task.value)
    } catch let error as KaisatsuError {
      return .failure(error)
    }
  }

  private func options(_ step: Step) -> Options {
    var options = Options()
    options.keyPlacement = environment.keyPlacement
    guard let client = step.client else { return options }
    if let keyIn = client.keyIn { options.keyPlacement = keyIn == "query" ? .query : .header }
    options.timeout = client.timeout ?? options.timeout
    options.totalTimeout = client.totalTimeout ?? options.totalTimeout
    options.attempts = client.attempts ?? options.attempts
    options.maxAnswerBytes = client.maxAnswerBytes ?? options.maxAnswerBytes
    return options
  }

  /// Talks to the proxy's control address.
  @discardableResult
  private func control(_ method: String, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
    var request = URLRequest(url: environment.control.appendingPathComponent(path))
    request.httpMethod = method
    request.httpBody = try body.map { try JSONEncoder().encode($0) }
    let (data, _) = try await URLSession.shared.data(for: request)
    return try JSONDecoder().decode(JSONValue.self, from: data)
  }
}

extension KaisatsuError {
  /// The error as all languages write it for the story.
  var plain: JSONValue {
    var fields: [String: JSONValue] = ["type": .string(type), "message": .string(message)]
    fields["status"] = status.map { .number(Double($0)) }
    fields["code"] = code.map { .string($0) }
    fields["requestId"] = requestId.map { .string($0) }
    fields["retryAfter"] = retryAfter.map { .number($0) }
    if case .dataSetFailed(let dataSetId, let reason) = self {
      fields["dataSetId"] = .string(dataSetId)
      fields["reason"] = reason.map { .string($0) }
    }
    return .object(fields)
  }

  private var type: String {
    // The name of the case, without what it carries.
    let text = "\(self)"
    return String(text.prefix { $0 != "(" })
  }
}
