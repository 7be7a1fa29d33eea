import Foundation

/// What the server said when it refused a call.
public struct ServerFailure: Sendable, Hashable {
  /// The HTTP status.
  public let status: Int
  /// The code of the contract, such as `103` or `W400`; absent when the answer is not one of this server's.
  public let code: String?
  /// The server's sentence.
  public let message: String
  /// What finds the call in the server's log.
  public let requestId: String?
  /// After how many seconds it makes sense to try again, where the server says so.
  public let retryAfter: TimeInterval?

  /// Describes a refusal; callers need this only to build errors in their own tests.
  public init(
    status: Int, code: String? = nil, message: String, requestId: String? = nil, retryAfter: TimeInterval? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.requestId = requestId
    self.retryAfter = retryAfter
  }
}

/// Why a call failed. Every operation of the SDK throws this type and no other.
public enum KaisatsuError: Error, Sendable, Hashable {
  /// A parameter, a body or a picture breaks a rule (400, 405, 415 and other statuses below 500); the message names it.
  case badRequest(ServerFailure)
  /// The key or the user's token is missing, unknown, revoked or expired (401).
  case unauthorised(ServerFailure)
  /// The key may not do this, or a quota on space is used up (403).
  case forbidden(ServerFailure)
  /// No such map, station, recognition, picture, dataset or operation (404).
  case notFound(ServerFailure)
  /// The dataset is still being built: try again when it is ready. Or an idempotency key was used for another request
  /// (409).
  case conflict(ServerFailure)
  /// Too many bytes or pixels (413).
  case tooLarge(ServerFailure)
  /// Too many calls (429); `retryAfter` says when the next one may come.
  case rateLimited(ServerFailure)
  /// The server is not ready or overloaded (503); `retryAfter` says when to try again.
  case unavailable(ServerFailure)
  /// The server failed (500 and other statuses from 500 on).
  case serverError(ServerFailure)
  /// No answer came: the connection was refused, cut, or could not be secured.
  case transport(message: String)
  /// The answer was not there in time.
  case timeout(message: String)
  /// The task that made the call was cancelled.
  case cancelled
  /// The answer is not what this operation answers: not UTF-8, not its JSON, a redirect, or too large.
  case malformedAnswer(message: String, status: Int?, requestId: String?)
  /// The caller's own input cannot be sent: a file that cannot be read, an address that is none.
  case invalidInput(message: String)
  /// A dataset that was waited for could not be built.
  case dataSetFailed(dataSetId: String, reason: String?)
}

extension KaisatsuError {
  /// What the server said, where it said something.
  public var failure: ServerFailure? {
    switch self {
    case .badRequest(let failure), .unauthorised(let failure), .forbidden(let failure), .notFound(let failure),
      .conflict(let failure), .tooLarge(let failure), .rateLimited(let failure), .unavailable(let failure),
      .serverError(let failure):
      return failure
    case .transport, .timeout, .cancelled, .malformedAnswer, .invalidInput, .dataSetFailed:
      return nil
    }
  }

  /// The HTTP status of the answer, where there was one.
  public var status: Int? {
    if case .malformedAnswer(_, let status, _) = self { return status }
    return failure?.status
  }

  /// The code of the contract, such as `103` or `W400`.
  public var code: String? { failure?.code }

  /// What finds the call in the server's log.
  public var requestId: String? {
    if case .malformedAnswer(_, _, let requestId) = self { return requestId }
    return failure?.requestId
  }

  /// After how many seconds it makes sense to try again, where the server says so.
  public var retryAfter: TimeInterval? { failure?.retryAfter }

  /// What went wrong, in words.
  public var message: String {
    switch self {
    case .transport(let message), .timeout(let message), .invalidInput(let message),
      .malformedAnswer(let message, _, _):
      return message
    case .cancelled: return "the call was cancelled"
    case .dataSetFailed(let dataSetId, let reason):
      return "dataset \(dataSetId) could not be built: \(reason ?? "the server does not say why")"
    default: return failure?.message ?? ""
    }
  }
}

extension KaisatsuError: LocalizedError {
  /// What went wrong, with what finds it in the server's log.
  public var errorDescription: String? {
    guard let failure else { return message }
    let code = failure.code.map { ", code \($0)" } ?? ""
    let request = failure.requestId.map { ", request \($0)" } ?? ""
    return "\(failure.message) (status \(failure.status)\(code)\(request))"
  }
}

extension KaisatsuError {
  /// The error of a refusal, by its status.
  init(_ failure: ServerFailure) {
    switch failure.status {
    case 401: self = .unauthorised(failure)
    case 403: self = .forbidden(failure)
    case 404: self = .notFound(failure)
    case 409: self = .conflict(failure)
    case 413: self = .tooLarge(failure)
    case 429: self = .rateLimited(failure)
    case 503: self = .unavailable(failure)
    case 400..<500: self = .badRequest(failure)
    default: self = .serverError(failure)
    }
  }
}
