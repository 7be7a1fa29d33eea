import Foundation

/// A request as a transport sees it.
public struct TransportRequest: Sendable {
  /// The HTTP method.
  public let method: String
  /// The whole address. It may hold secrets: never log it.
  public let url: URL
  /// The headers, the key among them.
  public let headers: [String: String]
  /// The body, where there is one.
  public let body: Data?
  /// How many seconds the exchange may take.
  public let timeout: TimeInterval
  /// The largest body of an answer, in bytes.
  public let maxAnswerBytes: Int
  /// Told how much of the body is sent.
  public let progress: UploadProgress?
}

/// Told how many bytes of how many are sent. It is called on a thread of the session's.
public typealias UploadProgress = @Sendable (_ sent: Int64, _ total: Int64) -> Void

/// An answer as a transport gives it back.
public struct TransportAnswer: Sendable {
  /// The HTTP status.
  public let status: Int
  /// The headers by their names in lower case.
  public let headers: [String: String]
  /// The body.
  public let body: Data

  /// An answer; header names may be in any case.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }
}

/// Why a transport has no answer.
public struct TransportFailure: Error, Sendable, Hashable {
  /// What kind of failure it is; it decides whether a call may be repeated.
  public enum Kind: Sendable, Hashable {
    /// Nothing was sent: the name was not found, the connection was refused.
    case notSent
    /// The connection ended after the request may have been received.
    case cut
    /// The time was up.
    case timedOut
    /// The answer has more bytes than allowed.
    case answerTooLarge
    /// The task was cancelled.
    case cancelled
    /// Anything that another attempt does not cure, such as a certificate that is not trusted.
    case permanent
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// What went wrong, without the address.
  public let message: String

  /// A failure.
  public init(kind: Kind, message: String) {
    self.kind = kind
    self.message = message
  }
}

/// Sends one request and reads its answer.
public protocol Transport: Sendable {
  /// Sends one request once: retries are not the transport's business.
  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer
}
