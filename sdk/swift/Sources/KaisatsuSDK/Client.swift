import Foundation

/// The version of this SDK, which goes into the user agent.
public let sdkVersion = "0.1.0"

/// Marks clients that run on people's devices, with a restricted key.
public enum DeviceSide: Sendable {}

/// Marks clients that run on an application's own server, where a key can be kept secret.
public enum ServerSide: Sendable {}

/// A client for apps. Whoever has the app has its key, so it takes a *restricted* one, which may recognise, search
/// maps, give feedback and use a user's token, and it has no `getToken`: with it, a key taken out of the app would make
/// a token for any user. An app asks its own server for the token instead.
///
/// ```swift
/// let client = Kaisatsu(restrictedKey: key, address: url)
/// let stations = try await client.maps.stationNear(latitude: 35.69, longitude: 139.70)
/// ```
public typealias Kaisatsu = KaisatsuClient<DeviceSide>

/// A client for servers and command-line tools: what ``Kaisatsu`` has, `getToken`, what feedback did, and what
/// operators do.
public typealias KaisatsuServer = KaisatsuClient<ServerSide>

/// What both kinds of clients have. It is a value: copies share the connections.
public struct KaisatsuClient<Side: Sendable>: Sendable {
  let core: Core

  init(core: Core) {
    self.core = core
  }

  /// Maps, stations and ways between them.
  public var maps: Maps { Maps(core: core) }
  /// What is in a picture, and whether that was right.
  public var recognition: Recognition<Side> { Recognition(core: core) }
  /// Users' datasets, which teach new categories.
  public var datasets: DataSets<Side> { DataSets(core: core) }
  /// Users' stored images.
  public var images: Images { Images(core: core) }

  /// Whether the server is alive. It needs no key.
  public func health() async throws(KaisatsuError) -> Health {
    try await core.decode(.open("/healthz"))
  }

  /// Whether the server can answer calls; one that cannot answers with ``KaisatsuError/unavailable(_:)``.
  public func ready() async throws(KaisatsuError) -> Health {
    try await core.decode(.open("/readyz"))
  }
}

extension KaisatsuClient where Side == DeviceSide {
  /// A client with a key that may be in an app.
  ///
  /// - Parameters:
  ///   - restrictedKey: A key that was created with `--scope restricted`. The SDK cannot tell it from others: a key
  ///     of another scope works, and must not be in an app.
  ///   - address: Where the server is, such as `https://example.org`.
  ///   - options: Time-outs, retries, logging.
  public init(restrictedKey: String, address: URL, options: Options = Options()) {
    self.init(core: Core(base: address, key: restrictedKey, options: options))
  }
}

extension KaisatsuClient where Side == ServerSide {
  /// A client with a key that is kept on a server.
  ///
  /// - Parameters:
  ///   - key: A key of the scope `standard`, or `operator` for the catalogue and the collections.
  ///   - address: Where the server is, such as `https://example.org`.
  ///   - options: Time-outs, retries, logging.
  public init(key: String, address: URL, options: Options = Options()) {
    self.init(core: Core(base: address, key: key, options: options))
  }

  /// The items that `recognize` knows. It needs an operator's key.
  public var catalogue: Catalogue { Catalogue(core: core) }
  /// The public collections of similar image search. It needs an operator's key.
  public var collections: Collections { Collections(core: core) }
}

/// The state of a server.
public struct Health: Sendable, Hashable, Codable {
  /// `ok`; of `ready` also `degraded`, when a part needs attention.
  public let status: String
  /// The version of the server.
  public let version: String
  /// The parts of the server; of `ready` alone.
  public let parts: [Part]?
}

/// A part of the server, such as its database.
public struct Part: Sendable, Hashable, Codable {
  /// What it is called.
  public let name: String
  /// `ok`, `off`, `starting`, `degraded` or `failing`.
  public let state: String
  /// Why, when it is not ok.
  public let message: String?
}
