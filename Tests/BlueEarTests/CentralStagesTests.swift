// A central in each of its stages: what the end of a link, of the adapter or of the talk, a callback that comes late,
// and a time limit make of it.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

/// Two that talk, of whom the central is put into a stage.
struct CentralScene {
    /// The names of the stages.
    static let names = [
        "idle", "scanning", "connecting", "exploring", "talking", "leaving 5", "leaving", "pausing", "finished",
    ]

    let testbed: Testbed
    let speaker: Speaker
    let listener: Listener
    /// The central's manager, and Core Bluetooth's.
    let manager: CentralRole.BluetoothManager
    let central: CBCentralManager
    let peripheral: CBPeripheral
    let characteristic: CBCharacteristic

    init(in stage: String = "talking", limit: Double? = nil) throws {
        let testbed = Testbed()
        let speaker = testbed.speaker(nil)
        let listener = testbed.listener(nil) { $0.stays = true }
        #expect(testbed.run { listener.begun == 1 })
        self.testbed = testbed
        self.speaker = speaker
        self.listener = listener
        self.manager = listener.manager
        self.central = try #require(listener.manager.centralManager)
        self.peripheral = try #require(listener.manager.discoveredPeripheral)
        self.characteristic = try #require(self.peripheral.services?.first?.characteristics?.first)
        self.manager.stage = self.make(stage)
        listener.calls = []
        if let limit { self.manager.startTimer(limit) {} }
    }

    /// The stage with a name.
    func make(_ name: String, with other: CBPeripheral? = nil) -> CentralRole.Stage {
        let peripheral = other ?? self.peripheral
        return switch name {
        case "scanning": .scanning
        case "connecting": .connecting(peripheral)
        case "exploring": .exploring(peripheral)
        case "talking": .talking(peripheral, self.characteristic)
        case "leaving 5": .leaving(peripheral, retryAfter: 5)
        case "leaving": .leaving(peripheral, retryAfter: nil)
        case "pausing": .pausing
        case "finished": .finished
        default: .idle
        }
    }

    /// The name of the stage.
    var stage: String {
        switch self.manager.stage {
        case .idle: "idle"
        case .scanning: "scanning"
        case .connecting: "connecting"
        case .exploring: "exploring"
        case .talking: "talking"
        case .leaving(_, let seconds?): "leaving \(Int(seconds))"
        case .leaving(_, nil): "leaving"
        case .pausing: "pausing"
        case .finished: "finished"
        }
    }

    /// Everything that came of it.
    func outcome(_ what: String) -> String {
        let manager = self.manager
        let text = [
            self.stage, self.listener.calls.joined(separator: ","), "\(self.listener.ended)",
            self.listener.isFinished ? "end" : "", manager.timer == nil ? "" : "timer",
            manager.remembered == nil ? "" : "remembered", manager.hasBegun ? "begun" : "",
        ].joined(separator: "|")
        RunRecord.note("\(what): \(text) \(self.listener.errors)")
        return text
    }
}

@Suite("A central in each stage")
struct CentralStagesTests {
    private func outcomes(
        _ what: String,
        hasBegun: Bool = true,
        of body: (CentralScene) -> Void
    ) throws -> [String] {
        try CentralScene.names.map { name in
            let scene = try CentralScene(in: name, limit: 60)
            scene.manager.hasBegun = hasBegun
            body(scene)
            return scene.outcome("\(what) \(name)")
        }
    }

    // MARK: Ends

    @Test("A link that is gone is requested again, or is what was waited for")
    func lost() throws {
        let gone = "didDisconnectPeripheral"
        let outcomes = try self.outcomes("lost") { $0.manager.lose($0.peripheral) }
        #expect(
            outcomes == [
                "idle||0||timer|remembered|begun", "scanning||0||timer|remembered|begun",
                "connecting||0||timer|remembered|begun", "connecting|\(gone)|0|||remembered|",
                "connecting|\(gone)|1|||remembered|", "pausing|\(gone)|1||timer|remembered|",
                "finished|\(gone)|1|end|timer|remembered|", "pausing||0||timer|remembered|begun",
                "finished||0||timer|remembered|begun",
            ]
        )
        // Where nobody was talked with, no talk ends.
        let silent = try self.outcomes("lost before the talk", hasBegun: false) { $0.manager.lose($0.peripheral) }
        #expect(
            silent[5...6] == [
                "pausing|\(gone)|0||timer|remembered|", "finished|\(gone)|0|end|timer|remembered|",
            ]
        )
    }

    @Test("An adapter that is gone ends every link, and a central that was to leave has left")
    func adapter() throws {
        let gone = "didDisconnectPeripheral"
        let outcomes = try self.outcomes("adapter") { $0.manager.loseAdapter() }
        #expect(
            outcomes == [
                "idle||0|||remembered|", "idle||0|||remembered|", "idle||0|||remembered|",
                "idle|\(gone)|0|||remembered|", "idle|\(gone)|1|||remembered|", "idle|\(gone)|1|||remembered|",
                "finished|\(gone)|1|end||remembered|", "idle||0|||remembered|", "finished||0|||remembered|",
            ]
        )
    }

    @Test("Who leaves closes the link, or has finished at once, and only once")
    func leaving() throws {
        let outcomes = try self.outcomes("leave") { $0.manager.leave() }
        #expect(
            outcomes == [
                "finished||0|end|||begun", "finished||0|end|||begun", "finished||0|end|||begun",
                "leaving||0||||begun", "leaving||0||||begun", "leaving||0||||begun", "leaving||0||||begun",
                "finished||0|end|||begun", "finished||0||||begun",
            ]
        )
        // The link that was being closed, or asked for, is.
        for name in ["exploring", "talking", "connecting"] {
            let scene = try CentralScene(in: name)
            scene.manager.leave()
            scene.testbed.run(.seconds(1))
            #expect(scene.peripheral.state == .disconnected && scene.listener.isFinished, "\(name)")
        }
    }

    @Test("A connection that is cancelled is tried again later; there is none in other stages")
    func cancelled() throws {
        let failed = "didFailConnection"
        let outcomes = try self.outcomes("cancel") { $0.manager.cancelConnection(retryAfter: 5) }
        #expect(
            outcomes == [
                "idle||0||timer|remembered|begun", "scanning||0||timer|remembered|begun",
                "pausing|\(failed)|0||timer||begun", "leaving 5|\(failed)|0||||begun",
                "leaving 5|\(failed)|0||||begun", "leaving 5||0||timer|remembered|begun",
                "leaving||0||timer|remembered|begun", "pausing||0||timer|remembered|begun",
                "finished||0||timer|remembered|begun",
            ]
        )
        for name in ["connecting", "exploring", "talking"] {
            let scene = try CentralScene(in: name)
            scene.manager.cancelConnection(retryAfter: 5)
            scene.testbed.run(.seconds(1))
            #expect(scene.peripheral.state == .disconnected && scene.stage == "pausing", "\(name)")
            scene.testbed.run(.seconds(5))
            #expect(scene.listener.calls.contains("didStartScanningPeripherals"), "\(name)")
        }
    }

    @Test("A pause ends with a search, and a search without the adapter does not begin")
    func pause() throws {
        let scene = try CentralScene()
        scene.manager.pause(3)
        scene.testbed.run(.milliseconds(2_999))
        #expect(scene.stage == "pausing" && scene.listener.calls.isEmpty && scene.manager.timer != nil)
        scene.testbed.run(.milliseconds(1))
        #expect(scene.listener.calls.first == "didStartScanningPeripherals" && scene.central.isScanning)
        #expect(scene.manager.timer == nil)
        scene.listener.adapter.setPowered(false)
        scene.testbed.run(.seconds(1))
        let calls = scene.listener.calls
        scene.manager.startTimer(60) {}
        scene.manager.search(scene.central)
        #expect(scene.stage == "idle" && scene.listener.calls == calls && scene.manager.timer == nil)
    }

    // MARK: Callbacks that come late

    @Test("A link that comes about is explored where it was asked for, kept where it is in use, and closed otherwise")
    func connected() throws {
        for name in CentralScene.names {
            let scene = try CentralScene(in: name)
            scene.manager.centralManager(scene.central, didConnect: scene.peripheral)
            let isExplored = name == "connecting"
            #expect(scene.listener.calls == (isExplored ? ["didConnectPeripheral"] : []), "\(name)")
            #expect(scene.stage == (isExplored ? "exploring" : name))
            scene.testbed.run(.milliseconds(500))
            let isKept = ["connecting", "exploring", "talking"].contains(name)
            #expect((scene.peripheral.state == .connected) == isKept, "\(name)")
        }
        // Another one is asked for meanwhile.
        let scene = try CentralScene()
        let other = try CentralScene()
        scene.manager.stage = scene.make("connecting", with: other.peripheral)
        scene.manager.centralManager(scene.central, didConnect: scene.peripheral)
        #expect(scene.stage == "connecting" && scene.listener.calls.isEmpty)
        scene.testbed.run(.milliseconds(500))
        #expect(scene.peripheral.state == .connected)
    }

    @Test("A connection that fails is tried again after a second where it was asked for")
    func failed() throws {
        let outcomes = try self.outcomes("failed") {
            $0.manager.centralManager($0.central, didFailToConnect: $0.peripheral, error: nil)
        }
        for (name, outcome) in zip(CentralScene.names, outcomes) {
            let isTried = name == "connecting"
            #expect(
                outcome
                    == (isTried
                        ? "pausing|didFailConnection|0||timer||begun" : "\(name)||0||timer|remembered|begun")
            )
        }
        let other = try CentralScene()
        let scene = try CentralScene(in: "connecting")
        scene.manager.centralManager(scene.central, didFailToConnect: other.peripheral, error: nil)
        #expect(scene.stage == "connecting" && scene.listener.calls.isEmpty)
        scene.manager.centralManager(scene.central, didFailToConnect: scene.peripheral, error: nil)
        scene.testbed.run(.milliseconds(999))
        #expect(scene.stage == "pausing" && scene.listener.calls == ["didFailConnection"])
        scene.testbed.run(.milliseconds(1))
        #expect(scene.listener.calls.prefix(2) == ["didFailConnection", "didStartScanningPeripherals"])
    }

    @Test("Lost keys are reported, other reasons of an end are not, and another peripheral's end is of no concern")
    func disconnected() throws {
        let other = try CentralScene()
        let reasons: [(error: CBError?, errors: [BlueEarError])] = [
            (CBError(.peerRemovedPairingInformation), [.lostKeys]), (CBError(.connectionTimeout), []), (nil, []),
        ]
        for (error, errors) in reasons {
            let scene = try CentralScene()
            scene.manager.centralManager(scene.central, didDisconnectPeripheral: other.peripheral, error: error)
            #expect(scene.stage == "talking" && scene.listener.errors.isEmpty && scene.listener.calls.isEmpty)
            scene.manager.centralManager(scene.central, didDisconnectPeripheral: scene.peripheral, error: error)
            #expect(scene.stage == "connecting" && scene.listener.errors == errors && scene.listener.ended == 1)
        }
    }

    // MARK: Time limits

    @Test("A peripheral that is not explored within ten seconds is left, unless the user was busy with it")
    func exploration() throws {
        // How often it is asked in the second after the limit, with what is always answered.
        for (idle, count) in [(nil, 1), (10, 1), (11, 1), (9.5, 3), (9, 2), (9.999, 101)] as [(Double?, Int)] {
            let scene = try CentralScene(in: "connecting")
            var asked = 0
            scene.manager.userIdleTime = {
                asked += 1
                return idle
            }
            scene.manager.hasAnswered = true
            scene.manager.explore(scene.peripheral)
            #expect(!scene.manager.hasAnswered && scene.stage == "exploring")
            // What is found is not told to the central.
            scene.peripheral.delegate = nil
            scene.testbed.run(.milliseconds(9_999))
            #expect(asked == 0 && scene.listener.errors.isEmpty)
            scene.testbed.run(.milliseconds(1_001))
            _ = scene.outcome("idle for \(idle.map { "\($0)" } ?? "ever"), asked \(asked)")
            #expect(asked == count, "\(String(describing: idle))")
            #expect(scene.listener.errors == (count > 1 ? [] : [.unanswered]))
            #expect(scene.listener.calls.contains("didFailConnection") == (count == 1))
        }
    }
}
