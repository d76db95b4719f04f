// Core Bluetooth's callbacks to a ball's device, in each stage, with and without an error; and those to the manager of
// the central that a conversation does not bring about.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Callbacks to the SDK")
struct DeviceCallbacksTests {
    private typealias Stage = ITCB_SDK_Device_Peripheral._Stage

    private let broken = CBError(.connectionTimeout)

    private func error(_ isThere: Bool) -> (any Error)? { isThere ? self.broken : nil }

    // MARK: A ball's device

    @Test("Notifications that were switched, or were not, go on with what waited for them")
    func notificationState() throws {
        let (on, off) = (ITCB_SDK_Step.setNotifications(isOn: true), ITCB_SDK_Step.setNotifications(isOn: false))
        let refused = ["sendFailed.coreBluetooth.CB6"]
        let first = Stage.subscribing(question: "Q?")
        let none = Stage.unsubscribing(next: nil)
        let next = Stage.unsubscribing(next: "N?")
        typealias Row = (
            stage: Stage, isNotifying: Bool, fails: Bool, after: String?, steps: [ITCB_SDK_Step], errors: [String]
        )
        var rows: [Row] = [
            (first, true, false, #"writing(question: "Q?", answer: nil)"#, [on, .writingQuestion("Q?")], []),
            (first, true, true, "idle", [], refused),
            (first, false, true, "idle", [], refused),
            (first, false, false, nil, [], []),
            (none, true, false, nil, [], []),
            (none, true, true, "idle", [on], []),
            (none, false, false, "idle", [off], []),
            (none, false, true, "idle", [off], []),
            (next, true, false, nil, [], []),
            (next, true, true, #"writing(question: "N?", answer: nil)"#, [on, .writingQuestion("N?")], []),
        ]
        for fails in [false, true] {
            let steps = [off, .settingNotifications(isOn: true)]
            rows.append((next, false, fails, #"subscribing(question: "N?")"#, steps, []))
            let others: [Stage] = [
                .connecting, .discovering, .idle, .writing(question: "Q?", answer: "A"),
                .awaitingAnswer(question: "Q?"), .ended,
            ]
            for stage in others {
                rows.append((stage, false, fails, nil, [], []))
                rows.append((stage, true, fails, nil, [], []))
            }
        }
        for row in rows {
            let scene = try DeviceScene()
            let device = scene.device
            let answer = try #require(device._answerCharacteristic)
            if row.isNotifying { try scene.notify("old") }
            device._startTimeout(60)
            device._stage = row.stage
            device.peripheral(
                device._peripheral,
                didUpdateNotificationStateFor: answer,
                error: self.error(row.fails)
            )
            let words: Comment = "\(row.stage) \(row.isNotifying) \(row.fails)"
            scene.note("notifying \(row.stage) \(row.isNotifying) \(row.fails)")
            #expect(scene.stage == row.after ?? "\(row.stage)", words)
            #expect(scene.steps == row.steps, words)
            #expect(scene.central.errors == row.errors, words)
            #expect((device._timeoutTimer == nil) == (row.after == "idle"), words)
        }
    }

    @Test("A value is the answer where one is awaited, is kept where it is early, and is nothing otherwise")
    func value() throws {
        let writing = Stage.writing(question: "Q?", answer: nil)
        let waiting = Stage.awaitingAnswer(question: "Q?")
        let off = ITCB_SDK_Step.settingNotifications(isOn: false)
        let ended = "unsubscribing(next: nil)"
        typealias Row = (
            stage: Stage, text: String, fails: Bool, after: String?, steps: [ITCB_SDK_Step], errors: [String]
        )
        var rows: [Row] = [
            (writing, "A", false, #"writing(question: "Q?", answer: Optional("A"))"#, [], []),
            (writing, "A", true, nil, [], []),
            (writing, "", false, nil, [], []),
            (waiting, "A", false, ended, [.answerReceived("A"), off], []),
            (waiting, "A", true, ended, [off], ["coreBluetooth.CB6"]),
            (waiting, "", true, ended, [off], ["coreBluetooth.CB6"]),
            (waiting, "", false, ended, [off], ["sendFailed.peripheralError.nil"]),
        ]
        let others: [Stage] = [
            .connecting, .discovering, .idle, .subscribing(question: "Q?"), .unsubscribing(next: nil),
            .unsubscribing(next: "N?"), .ended,
        ]
        for stage in others { rows.append((stage, "A", false, nil, [], [])) }
        for row in rows {
            let scene = try DeviceScene()
            let device = scene.device
            try scene.notify(row.text)
            let answer = try #require(device._answerCharacteristic)
            device._stage = row.stage
            device.peripheral(device._peripheral, didUpdateValueFor: answer, error: self.error(row.fails))
            let words: Comment = "\(row.stage) \(row.text) \(row.fails)"
            scene.note("value \(row.stage) \(row.text) \(row.fails)")
            #expect(scene.stage == row.after ?? "\(row.stage)", words)
            #expect(scene.steps == row.steps, words)
            #expect(scene.central.errors == row.errors, words)
            let isAnswer = row.steps.contains(.answerReceived("A"))
            #expect(scene.central.answers == (isAnswer ? ["A"] : []) && device.answer == (isAnswer ? "A" : nil), words)
            #expect((device._timeoutTimer != nil) == (row.after == ended), words)
        }
    }

    @Test("A confirmation counts while a question is being written; an answer that was early follows it")
    func confirmation() throws {
        let others: [Stage] = [
            .connecting, .discovering, .idle, .subscribing(question: "Q?"), .awaitingAnswer(question: "Q?"),
            .unsubscribing(next: nil), .unsubscribing(next: "N?"), .ended,
        ]
        for (stage, fails) in others.flatMap({ [($0, false), ($0, true)] }) {
            let scene = try DeviceScene()
            let question = try #require(scene.device._questionCharacteristic)
            scene.device._stage = stage
            scene.device.peripheral(scene.device._peripheral, didWriteValueFor: question, error: self.error(fails))
            #expect(scene.stage == "\(stage)" && scene.steps.isEmpty && scene.central.errors.isEmpty)
        }
        for answer in [nil, "A"] {
            let scene = try DeviceScene()
            let question = try #require(scene.device._questionCharacteristic)
            scene.device._stage = .writing(question: "Q?", answer: answer)
            scene.device.peripheral(scene.device._peripheral, didWriteValueFor: question, error: nil)
            scene.note("confirmed \(answer ?? "-")")
            #expect(scene.central.asked == ["Q?"] && scene.device.question == "Q?")
            #expect(scene.central.answered == (answer == nil ? [] : ["Q? A"]))
            #expect(scene.stage == (answer == nil ? #"awaitingAnswer(question: "Q?")"# : "unsubscribing(next: nil)"))
        }
    }

    @Test("What is discovered counts while it is being discovered; a ball is announced once")
    func discovery() throws {
        let stages: [Stage] = [
            .connecting, .idle, .subscribing(question: "Q?"), .writing(question: "Q?", answer: nil),
            .awaitingAnswer(question: "Q?"), .unsubscribing(next: nil), .ended,
        ]
        for stage in stages {
            let scene = try DeviceScene()
            let device = scene.device
            let service = try #require(device._service)
            device._stage = stage
            device.peripheral(device._peripheral, didDiscoverServices: nil)
            device.peripheral(device._peripheral, didDiscoverServices: self.broken)
            device.peripheral(device._peripheral, didDiscoverCharacteristicsFor: service, error: nil)
            device.peripheral(device._peripheral, didDiscoverCharacteristicsFor: service, error: self.broken)
            #expect(scene.stage == "\(stage)" && scene.steps.isEmpty && scene.central.errors.isEmpty)
        }
        for isOfServices in [true, false] {
            let scene = try DeviceScene()
            let device = scene.device
            let service = try #require(device._service)
            device._stage = .discovering
            if isOfServices {
                device.peripheral(device._peripheral, didDiscoverServices: self.broken)
            } else {
                device.peripheral(device._peripheral, didDiscoverCharacteristicsFor: service, error: self.broken)
            }
            #expect(scene.central.errors == ["coreBluetooth.CB6"] && scene.steps.isEmpty && scene.stage == "ended")
            #expect(scene.central.sdk.devices.isEmpty && scene.central.sdk._leaving.count == 1)
        }
        for isAnnounced in [true, false] {
            let scene = try DeviceScene()
            let device = scene.device
            let service = try #require(device._service)
            device._startTimeout(60)
            device._stage = .discovering
            device._isAnnounced = isAnnounced
            device.peripheral(device._peripheral, didDiscoverCharacteristicsFor: service, error: nil)
            #expect(scene.stage == "idle" && device._timeoutTimer == nil && device._isAnnounced)
            var steps = [ITCB_SDK_Step.discoveredCharacteristics(count: 2)]
            if !isAnnounced { steps.append(.ready(name: "Strange")) }
            #expect(scene.steps == steps)
            #expect(scene.central.found.count == (isAnnounced ? 1 : 2))
        }
    }

    @Test("A link that comes about is explored where it was asked for")
    func connected() throws {
        let stages: [Stage] = [.connecting, .discovering, .idle, .awaitingAnswer(question: "Q?"), .ended]
        for stage in stages {
            let scene = try DeviceScene()
            scene.device._stage = stage
            scene.device._didConnect()
            let isExplored = "\(stage)" == "connecting"
            #expect(scene.stage == (isExplored ? "discovering" : "\(stage)"))
            #expect(scene.steps == (isExplored ? [.connected(name: "Strange"), .discoveringServices] : []))
        }
    }

    // MARK: The manager of the central

    @Test("A ball that is lost, with and without a question, by its link and by the adapter")
    func lost() throws {
        let stages: [(stage: Stage, error: String)] = [
            (.idle, "coreBluetooth.deviceOffline"), (.unsubscribing(next: nil), "coreBluetooth.deviceOffline"),
            (.awaitingAnswer(question: "Q?"), "sendFailed.deviceOffline"),
            (.unsubscribing(next: "N?"), "sendFailed.deviceOffline"),
        ]
        for (stage, error) in stages {
            for way in ["disconnected", "failed", "adapter"] {
                let scene = try DeviceScene()
                let sdk = scene.central.sdk
                let manager = try #require(sdk.centralManagerInstance)
                scene.device._stage = stage
                switch way {
                case "disconnected":
                    sdk.centralManager(manager, didDisconnectPeripheral: scene.device._peripheral, error: nil)
                    #expect(scene.steps == [.scanning, .lost(name: "Strange")] && sdk._rescan == nil)
                case "failed":
                    sdk.centralManager(manager, didFailToConnect: scene.device._peripheral, error: nil)
                    #expect(scene.steps == [.connectionFailed(name: "Strange"), .lost(name: "Strange")])
                    #expect(sdk._rescan != nil)
                default:
                    sdk._scan(after: 5)
                    sdk._leaving = [scene.device]
                    sdk._loseAllDevices()
                    #expect(scene.steps == [.lost(name: "Strange")] && sdk._rescan == nil && sdk._leaving.isEmpty)
                }
                scene.note("\(way) \(stage)")
                #expect(scene.central.errors == [error], "\(way) \(stage)")
                #expect(sdk.devices.isEmpty && scene.stage == "ended" && words(scene.device.error) == error)
            }
        }
    }

    @Test("A search takes the place of one that was put off; without the adapter nothing is searched or cancelled")
    func searches() throws {
        let scene = try DeviceScene()
        let sdk = scene.central.sdk
        let manager = try #require(sdk.centralManagerInstance)
        sdk._scan(after: 5)
        sdk._scan(after: 1)
        scene.testbed.run(.milliseconds(4_999))
        #expect(scene.steps.isEmpty && sdk._rescan != nil)
        sdk._scan()
        #expect(scene.steps == [.scanning] && sdk._rescan == nil && manager.isScanning)
        scene.testbed.run(.seconds(5))
        #expect(scene.steps == [.scanning])
        // A ball that was left and to which there will be no link is not left any more.
        sdk._leaving = [scene.device]
        sdk._remove(scene.device)
        sdk.centralManager(manager, didFailToConnect: scene.device._peripheral, error: nil)
        #expect(sdk._leaving.isEmpty && scene.central.errors.isEmpty && sdk._rescan == nil)
        scene.central.adapter.setPowered(false)
        scene.testbed.run(.seconds(1))
        let (steps, errors) = (scene.steps.count, scene.central.errors.count)
        sdk._scan()
        sdk._cancelConnection(scene.device, because: .coreBluetooth(nil))
        #expect(scene.steps.count == steps && scene.central.errors.count == errors && sdk._leaving.isEmpty)
    }
}
