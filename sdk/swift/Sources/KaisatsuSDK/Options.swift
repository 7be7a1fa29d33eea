import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a call carries the application's key.
public enum KeyPlacement: Sendable, Hashable {
  /// In the header `X-API-Key`, which logs of proxies do not show.
  case header
  /// In the query parameter `APIKEY`, for servers that read no other form.
  case query
}

/// What a client does beyond the call itself. Every value has a sensible default.
public struct Options: Sendable {
  /// Where the key goes.
  public var keyPlacement: KeyPlacement = .header
  /// How many seconds one attempt may take, from connecting to the last byte of the answer.
  public var timeout: TimeInterval = 30
  /// How many seconds a call may take with all its attempts and the waiting between them.
  public var totalTimeout: TimeInterval = 120
  /// How often a call is tried at most; 1 switches retries off.
  public var attempts = 3
  /// The waiting before the second attempt in seconds; it doubles with each further one, with jitter.
  public var backoff: TimeInterval = 0.25
  /// The longest waiting between two attempts in seconds, unless the server asks for more with `Retry-After`.
  public var longestBackoff: TimeInterval = 8
  /// The largest answer that is read, in bytes.
  public var maxAnswerBytes = 64 << 20
  /// The first segment of the route map's paths, which is a setting of the server.
  public var routeSegment = "route_service"
  /// Sees every attempt, without keys, tokens or query strings.
  public var log: (@Sendable (LogEntry) -> Void)?
  /// Changes the session's configuration before it is used: proxies, cellular access, protocol classes.
  public var configureSession: (@Sendable (URLSessionConfiguration) -> Void)?
  /// Sends the requests instead of `URLSession`; tests of an app can answer calls with it.
  public var transport: (any Transport)?

  /// The defaults.
  public init() {}
}

/// One attempt of a call, for logs.
public struct LogEntry: Sendable, Hashable {
  /// The HTTP method.
  public let method: String
  /// The path without the query string, which may hold secrets.
  public let path: String
  /// Which attempt of the call this is, from 1.
  public let attempt: Int
  /// The status of the answer, where there was one.
  public let status: Int?
  /// How many seconds the attempt took.
  public let duration: TimeInterval
  /// What finds the call in the server's log.
  public let requestId: String?
  /// Why there was no answer, where there was none.
  public let failure: String?
}
