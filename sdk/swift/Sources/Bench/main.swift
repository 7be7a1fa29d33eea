// What a cold call costs beside a bare `URLSession`: each round makes a new client or session and asks for /healthz.

import Foundation
import KaisatsuSDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let address = URL(string: ProcessInfo.processInfo.environment["KAISATSU_URL"]!)!
let health = address.appendingPathComponent("healthz")

func milliseconds(_ action: () async throws -> Void) async rethrows -> Double {
  let begin = DispatchTime.now().uptimeNanoseconds
  try await action()
  return Double(DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000
}

var bare: [Double] = []
var sdk: [Double] = []
for round in 0..<220 {
  let one = try await milliseconds {
    let session = URLSession(configuration: .ephemeral)
    let (data, _) = try await session.data(for: URLRequest(url: health))
    _ = try JSONDecoder().decode(Health.self, from: data)
    session.finishTasksAndInvalidate()
  }
  let other = try await milliseconds {
    _ = try await Kaisatsu(restrictedKey: "none", address: address).health()
  }
  // The first rounds load code and wake the server.
  if round >= 20 {
    bare.append(one)
    sdk.append(other)
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func show(_ value: Double) -> String { String(format: "%.3f ms", value) }
print("cold call, median of \(bare.count): bare URLSession \(show(median(bare))), SDK \(show(median(sdk)))")
print("overhead: \(show(median(sdk) - median(bare)))")
