// What a central makes of an adapter that is reported on, and of a peripheral that is heard, in each of its stages: one
// of them goes on with it, in all others nothing changes.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Adapters and advertisements in each stage of a central")
struct CentralStateTests {
    @Test("An adapter that is on begins what is idle: the link that outlived it is taken up")
    func adapter() throws {
        for name in CentralScene.names {
            let scene = try CentralScene(in: name, limit: 60)
            let before = scene.outcome("before \(name)")
            scene.manager.centralManagerDidUpdateState(scene.central)
            let after = scene.outcome("on \(name)")
            if name == "idle" {
                #expect(scene.stage == "talking" && scene.manager.timer == nil)
                #expect(scene.listener.calls == ["didConnectPeripheral"] && scene.listener.begun == 2)
            } else {
                #expect(after == before && scene.listener.begun == 1, "\(name)")
            }
        }
    }

    @Test("A peripheral that is heard is connected to within ten seconds where one is searched for, and only there")
    func heard() throws {
        let data = [CBAdvertisementDataLocalNameKey: "Heard"]
        for name in CentralScene.names {
            let scene = try CentralScene(in: name)
            let manager = scene.manager
            manager.advertisedName = "Before"
            let before = scene.outcome("before \(name)")
            manager.centralManager(scene.central, didDiscover: scene.peripheral, advertisementData: data, rssi: -40)
            guard name == "scanning" else {
                #expect(scene.outcome("heard \(name)") == before && manager.advertisedName == "Before", "\(name)")
                continue
            }
            _ = scene.outcome("heard \(name)")
            #expect(scene.stage == "connecting" && manager.timer != nil && manager.advertisedName == "Heard")
            #expect(manager.discoveredPeripheral === scene.peripheral && manager.remembered === scene.peripheral)
        }
    }

    @Test("A peripheral of another name is not connected to; one is whose name the system knows, or where any will do")
    func wanted() throws {
        typealias Row = (wanted: String?, advertised: String?, isTaken: Bool)
        let own = try CentralScene().peripheral.name
        let rows: [Row] = [
            (nil, nil, true), (nil, "Heard", true), ("Heard", "Heard", true), ("Heard", "Else", false),
            ("Heard", nil, false), ("Heard", "", false), (own, nil, true), (own, "Else", true),
        ]
        for row in rows {
            let scene = try CentralScene(in: "scanning")
            scene.manager.wantedName = row.wanted
            let data: [String: Any] = row.advertised.map { [CBAdvertisementDataLocalNameKey: $0] } ?? [:]
            scene.manager.centralManager(
                scene.central,
                didDiscover: scene.peripheral,
                advertisementData: data,
                rssi: -40
            )
            #expect(scene.stage == (row.isTaken ? "connecting" : "scanning"), "\(row)")
            if row.isTaken { #expect(scene.manager.advertisedName == row.advertised, "\(row)") }
        }
    }
}
