// What ends a test's process, and what a world writes to standard error.

import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("A world at the end of its process")
struct WorldExitTests {
    enum Misuse: String, CaseIterable, Codable {
        case name = "The world has a device \"phone\" already"
        case place = "Give a device a distance or a position, not both"
        case pair = "A device cannot be attenuated from itself"
        case factor = "give a factor above zero"
        case lifetime = "The world of the device \"phone\" is gone"
    }

    @Test("ends the process on misuse, and says why", arguments: Misuse.allCases)
    func misuse(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            let world = World()
            let phone = world.addDevice("phone")
            switch misuse {
            case .name: _ = world.addDevice("phone")
            case .place: _ = world.addDevice("other", distance: 1, position: Position(x: 0, y: 0))
            case .pair: world.setAttenuation(10, between: phone, and: phone)
            case .factor: _ = WorldTime.real(timesFaster: 0)
            case .lifetime: _ = World().addDevice("phone").trace
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(misuse.rawValue))
    }

    @Test("writes captures where the environment says, else into the temporary folder")
    func captureFolder() async {
        await #expect(processExitsWith: .success) {
            let standard = NSTemporaryDirectory()
            unsetenv("COREBLUETOOTH_CAPTURES")
            #expect(World.captureFolder == standard)
            setenv("COREBLUETOOTH_CAPTURES", "", 1)
            #expect(World.captureFolder == standard)
            setenv("COREBLUETOOTH_CAPTURES", "/somewhere/else", 1)
            #expect(World.captureFolder == "/somewhere/else")
        }
    }

    @Test("writes a mistake to standard error if no call threw it before the world went", arguments: [false, true])
    func mistake(isThrown: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isThrown] in
            let world = World()
            world.addPeripheral(ScriptedPeripheral(name: "Thing", channels: [.init(psm: 0x80), .init(psm: 0x80)]))
            guard isThrown else { return }
            do {
                try world.run(until: true)
                exit(1)
            } catch {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("[CoreBluetoothTesting] ") != isThrown)
        #expect(text.contains("no channel can have the PSM 128") != isThrown)
    }
}
