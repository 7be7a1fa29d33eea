// Which stations are around me?

import Foundation
import KaisatsuSDK

let environment = ProcessInfo.processInfo.environment
let kaisatsu = Kaisatsu(
  restrictedKey: environment["KAISATSU_RESTRICTED_KEY"]!, address: URL(string: environment["KAISATSU_URL"]!)!)

let stations = try await kaisatsu.maps.stationNear(latitude: 35.6812, longitude: 139.7671, radius: 800, limit: 5)
for station in stations.points {
  print("\(station.name) (\(station.yomi)): \(station.distance ?? 0) m")
}
