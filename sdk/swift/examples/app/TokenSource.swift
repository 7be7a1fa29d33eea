import Foundation
import KaisatsuSDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The user's token, asked for at the app's own server: the broker of sdk/java/examples. The broker knows by the app's
/// session who the user is, and has the key that may make tokens. It is not in the app.
actor TokenSource {
  private let broker: URL
  private let session: String
  private var kept: UserToken?

  init(broker: URL, session: String) {
    self.broker = broker
    self.session = session
  }

  /// A token that is good for another minute at least.
  func token() async throws -> String {
    if let kept, kept.expiresAt.timeIntervalSinceNow > 60 { return kept.token }
    var request = URLRequest(url: broker.appendingPathComponent("token"))
    request.httpMethod = "POST"
    request.setValue("Bearer \(session)", forHTTPHeaderField: "Authorization")
    let (body, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.userAuthenticationRequired) }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let token = try decoder.decode(UserToken.self, from: body)
    kept = token
    return token.token
  }

  /// Forgets the token, after the server has said that it is revoked or expired.
  func forget() {
    kept = nil
  }
}
