// What a cold call costs beside a bare `URLSession`: each round makes a new client or session and asks for /healthz.

import Foundation
import KaisatsuSDK

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let address = URL(string: ProcessInfo.processInfo.environment["KAISATSU_URL"]!)!
let health = address.appendingPathComponent("healthz")

/// Milliseconds of the clock, and of the processor for all threads.
struct Cost {
  var elapsed: Double
  var processor: Double
}

func cost(_ action: () async throws -> Void) async rethrows -> Cost {
  let (begin, used) = (DispatchTime.now().uptimeNanoseconds, clock())
  try await action()
  let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000
  return Cost(elapsed: elapsed, processor: Double(clock() - used) / 1000)  // POSIX counts microseconds
}

// In turns, so that whatever else the machine does meets both; on a busy one, only the processor's time says much.
var bare: [Cost] = []
var sdk: [Cost] = []
for round in 0..<220 {
  let one = try await cost {
    let session = URLSession(configuration: .ephemeral)
    let (data, _) = try await session.data(for: URLRequest(url: health))
    _ = try JSONDecoder().decode(Health.self, from: data)
    session.finishTasksAndInvalidate()
  }
  let other = try await cost {
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
for (name, part) in [("elapsed", \Cost.elapsed), ("processor", \Cost.processor)] {
  let (theirs, ours) = (median(bare.map { $0[keyPath: part] }), median(sdk.map { $0[keyPath: part] }))
  print("\(name): bare URLSession \(show(theirs)), SDK \(show(ours)), difference \(show(ours - theirs))")
}
