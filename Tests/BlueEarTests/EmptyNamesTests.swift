// A peripheral that advertises a name of no characters: it is the beginning of every name, and of none that is looked
// for, however long the first character of that is.

import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("Names of no characters")
struct EmptyNamesTests {
    @Test(
        "An empty name is not the beginning of a name that is looked for, whatever its first character is",
        arguments: ["Anna", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", "          Anna"]
    )
    func empty(wanted: String) throws {
        for (advertised, isTaken) in [("", false), (wanted, true)] {
            let scene = try CentralScene(in: "scanning")
            scene.manager.wantedName = wanted
            scene.manager.centralManager(
                scene.central,
                didDiscover: scene.peripheral,
                advertisementData: [CBAdvertisementDataLocalNameKey: advertised],
                rssi: -40
            )
            #expect(scene.stage == (isTaken ? "connecting" : "scanning"))
        }
    }
}
