// How the session ends its program, and the screen itself, are tested in the system and program layers.

import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of scan --watch")
@MainActor
struct WatchSessionTests {
    private let world = World(seed: 1)
    private let tool: Device
    private let thermo: ScriptedDevice
    private let session: WatchSession

    init() throws {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: [.read, .write], value: Data([7])),
            .init("FFF2", properties: .notify, updates: .every(.seconds(1)) { number in Data([UInt8(number % 10)]) }),
            .init("FFF3", properties: .read, value: Data([9])),
        ]
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        tool = world.addDevice("tool")
        session = tool.run {
            let session = WatchSession(filter: ScanSession.Filter(), order: nil)
            session.start()
            return session
        }
        world.advance(by: .seconds(3))
    }

    private func press(_ keys: Key..., seconds: Int = 3) {
        tool.run { for key in keys { session.receive(key) } }
        // A request continues on the main actor between turns of the world.
        for _ in 0..<10 * seconds { settle() }
    }

    private func settle() {
        var isSettled = false
        Task { @MainActor in isSettled = true }
        try? world.run(until: isSettled, within: .seconds(1))
        world.advance(by: .milliseconds(100))
    }

    private var shown: [String] {
        var canvas = Canvas(size: ScreenSize(rows: 20, columns: 80))
        session.draw(on: &canvas)
        return canvas.text
    }

    private func row(_ text: String) -> String { shown.first { $0.contains(text) } ?? "no \(text)" }

    @Test("opens a device, reads, writes and subscribes, and disconnects when it is left")
    func opening() {
        press(.enter)
        #expect(shown[0].hasSuffix(" connected") && row("FFF1").hasPrefix("▸ FFF1"))
        press(.character("r"))
        #expect(row("▸ FFF1").hasSuffix("r-w- 07"))
        press(.character("w"), .text("05"), .enter)
        #expect(shown.contains("written: 05"))
        press(.character("R"))
        #expect(row("▸ FFF1").hasSuffix("05") && row("FFF3").hasSuffix("r--- 09"))
        press(.down, .character("s"))
        #expect(row("FFF2").hasPrefix("▸●FFF2"))
        let before = row("FFF2")
        press()
        #expect(row("FFF2") != before && row("FFF2").hasPrefix("▸●FFF2"))
        press(.character("s"))
        #expect(row("FFF2").hasPrefix("▸ FFF2"))
        press(.character(":"), .text("mtu"), .enter)
        #expect(shown.contains { $0.contains("octets in a write without response") })
        press(.escape)
        #expect(row("▸ Thermo").hasPrefix("▸ Thermo") && session.central.peripheral?.state == .disconnected)
    }

    @Test("says why a connection ended, and connects and subscribes again when it is asked to")
    func loss() {
        press(.enter)
        press(.down, .character("s"))
        thermo.isPowered = false
        press(seconds: 10)
        #expect(shown[0].hasSuffix("not connected") && shown.contains { $0.contains("Not connected: ") })
        thermo.isPowered = true
        press(.enter, seconds: 10)
        #expect(shown[0].hasSuffix(" connected") && row("FFF2").hasPrefix("▸●FFF2"))
        press(.character(":"), .text("disconnect"), .enter)
        #expect(row("Not connected").contains("it was asked to"))
        press(.character(":"), .text("connect"), .enter)
        #expect(shown[0].hasSuffix(" connected"))
        press(.character(":"), .text("quit"), .enter)
        #expect(row("▸ Thermo").hasPrefix("▸ Thermo"))
    }

    @Test("shows what fails, and abandons what is under way when the device is left")
    func failures() {
        press(.enter)
        press(.character(":"), .text("write FFF3 01"), .enter)
        #expect(shown.contains("writing FFF3 failed: Writing is not permitted"))
        press(.character(":"), .text("raed FFF3"), .enter)
        #expect(shown.contains("there is no command \"raed\"; did you mean 'read'?"))
        press(.character(":"), .text("wait 1000"), .enter)
        press(.escape)
        #expect(session.central.peripheral?.state == .disconnected)
        press(.enter)
        #expect(shown[0].hasSuffix(" connected"))
    }
}
