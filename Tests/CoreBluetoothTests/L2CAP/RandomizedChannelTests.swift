// Randomized tests of channels in virtual time: opens, writes, reads, closes, withdrawn PSMs, lost links, objects that
// are released, adapters that are switched off. Whatever happens, octets come in order, nothing hangs, and nothing is
// left in memory.

import BluetoothAir
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12 Randomized channels")
struct RandomizedChannelTests {
    private final class RandomizedTest {
        let testbed: Testbed
        private let adapters: [BluetoothAdapter]
        private let ball: PeripheralApp
        private let central: CentralApp
        private var peripheral: CBPeripheral?
        private var psms: [CBL2CAPPSM] = []
        private var centralUsers: [StreamUser] = []
        private var ballUsers: [StreamUser] = []
        private var generator: SeededGenerator
        /// Everything that was made, to see that it is gone in the end.
        private(set) var made: [Weak] = []
        private(set) var opened = 0
        private(set) var transferred = 0

        struct Weak {
            weak var object: AnyObject?
        }

        init(seed: UInt64) {
            self.generator = SeededGenerator(seed: seed)
            let testbed = Testbed(seed: seed)
            self.testbed = testbed
            self.adapters = ["Crystal", "Curious"].map { testbed.adapter($0) }
            let ball = PeripheralApp(on: self.adapters[0])
            let central = CentralApp(on: self.adapters[1])
            self.ball = ball
            self.central = central
            testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
            ball.open()
            ball.onChannel = { [unowned self] in self.take($0, isBall: true) }
            central.onChannel = { [unowned self] in self.take($0, isBall: false) }
            central.manager.scanForPeripherals(withServices: [IDs.service])
            testbed.run { !central.found.isEmpty }
            central.manager.stopScan()
            self.peripheral = central.found.first
            central.found = []
            if let peripheral = self.peripheral { central.manager.connect(peripheral) }
            self.made = [self.ball, self.central, self.ball.manager, self.central.manager, self.peripheral]
                .map { Weak(object: $0) }
        }

        private func take(_ channel: CBL2CAPChannel, isBall: Bool) {
            // Some apps do not look.
            guard self.chance(15, of: 16) else { return }
            let user = StreamUser(channel, salt: isBall ? 0xFF : 0x00, piece: self.chance(1, of: 2) ? 65_521 : 97)
            self.made += [user, channel, user.input, user.output].map { Weak(object: $0) }
            user.reads = self.chance(3, of: 4)
            if self.chance(7, of: 8) { user.open() }
            self.opened += 1
            if isBall { self.ballUsers.append(user) } else { self.centralUsers.append(user) }
        }

        private func chance(_ part: Int, of whole: Int) -> Bool {
            Int.random(in: 0..<whole, using: &self.generator) < part
        }

        private func user() -> StreamUser? {
            (self.centralUsers + self.ballUsers).randomElement(using: &self.generator)
        }

        func step() {
            switch Int.random(in: 0..<40, using: &self.generator) {
            case 0...5:
                if let peripheral, let psm = self.ball.psms.randomElement(using: &self.generator) {
                    peripheral.openL2CAPChannel(psm)
                }
            case 6...15: self.user()?.write(Int.random(in: 1...20_000, using: &self.generator))
            case 16...20: self.user()?.read(atMost: Int.random(in: 1...50_000, using: &self.generator))
            case 21: self.user().map { $0.reads.toggle() }
            case 22: self.user()?.close()
            case 23: self.user()?.input.close()
            case 24: self.user()?.output.close()
            case 25: self.user().map { $0.channel = nil }
            case 26: self.user()?.open()
            case 27: self.forget()
            case 28, 29: self.ball.manager.publishL2CAPChannel(withEncryption: self.chance(1, of: 8))
            case 30:
                if let psm = self.ball.psms.randomElement(using: &self.generator), self.chance(1, of: 3) {
                    self.ball.manager.unpublishL2CAPChannel(psm)
                }
            case 31:
                if self.chance(1, of: 8), let peripheral {
                    self.central.manager.cancelPeripheralConnection(peripheral)
                }
            case 32, 33, 34:
                if let peripheral, peripheral.state == .disconnected {
                    self.central.manager.connect(peripheral)
                }
            case 35:
                self.testbed.air.setLoss(
                    self.chance(1, of: 16)
                        ? 1 : LossProbability(Double(Int.random(in: 0...3, using: &self.generator)) / 10)
                )
            case 36: if self.chance(1, of: 8) { self.adapters[0].setPowered(self.chance(1, of: 2)) }
            case 37: if self.chance(1, of: 8) { self.adapters[1].setPowered(self.chance(1, of: 2)) }
            case 38: self.adapters.forEach { $0.setPowered(true) }
            default:
                if self.ball.manager.state == .poweredOn, !self.ball.manager.isAdvertising {
                    self.ball.advertise(name: "Crystal")
                }
            }
            let time = self.chance(1, of: 20) ? Int64(3_000_000) : Int64.random(in: 0...5000, using: &self.generator)
            self.testbed.run(.microseconds(time))
        }

        /// Lets a user go, with or without closing.
        private func forget() {
            guard let user = self.user() else { return }
            if self.chance(1, of: 2) { user.close() }
            self.transferred += user.received
            self.centralUsers.removeAll { $0 === user }
            self.ballUsers.removeAll { $0 === user }
        }

        var isUnchanged: Bool { (self.centralUsers + self.ballUsers).allSatisfy(\.isUnchanged) }

        /// Brings everything back to order, transfers once more, and lets all go.
        func finish() throws {
            self.testbed.air.setLoss(0)
            self.adapters.forEach { $0.setPowered(true) }
            let peripheral = try #require(self.peripheral)
            try #require(
                self.testbed.run {
                    self.ball.manager.state == .poweredOn && self.central.manager.state == .poweredOn
                }
            )
            // What was closed with much to send, and no reader, is closed after a time limit.
            self.transferred += (self.centralUsers + self.ballUsers).reduce(0) { $0 + $1.received }
            self.centralUsers.removeAll()
            self.ballUsers.removeAll()
            self.testbed.run(.seconds(70))
            if !self.ball.manager.isAdvertising { self.ball.advertise(name: "Crystal") }
            if peripheral.state != .connected { self.central.manager.connect(peripheral) }
            try #require(self.testbed.run(until: { peripheral.state == .connected }, within: .seconds(30)))
            var ends: (StreamUser?, StreamUser?)
            self.central.onChannel = { ends.0 = StreamUser($0, salt: 0x00) }
            self.ball.onChannel = { ends.1 = StreamUser($0, salt: 0xFF) }
            self.testbed.run(.milliseconds(100))
            for psm in Set(self.ball.psms) { self.ball.manager.unpublishL2CAPChannel(psm) }
            self.testbed.run(.milliseconds(100))
            self.ball.psms = []
            self.ball.manager.publishL2CAPChannel(withEncryption: false)
            try #require(self.testbed.run { !self.ball.psms.isEmpty })
            peripheral.openL2CAPChannel(self.ball.psms[0])
            try #require(self.testbed.run { ends.0 != nil && ends.1 != nil })
            for user in [ends.0, ends.1] {
                user?.open()
                user?.write(300_000)
                self.made += [user, user?.channel, user?.input, user?.output].map { Weak(object: $0) }
            }
            #expect(self.testbed.run { ends.0?.received == 300_000 && ends.1?.received == 300_000 })
            #expect(ends.0?.isUnchanged == true && ends.1?.isUnchanged == true)
            self.central.onChannel = nil
            self.ball.onChannel = nil
            self.central.manager.cancelPeripheralConnection(peripheral)
            self.testbed.run(.seconds(1))
            self.ball.end()
            self.central.end()
        }
    }

    @Test("12 runs of 300 random steps end in order and leave nothing", arguments: 1...6)
    func test(seed: UInt64) throws { try Self.test(seed: seed) }

    private static func test(seed: UInt64) throws {
        var test: RandomizedTest? = RandomizedTest(seed: seed)
        let testbed = try #require(test?.testbed)
        try CapturedLog().capture {
            for step in 0..<300 {
                test?.step()
                guard test?.isUnchanged == true else {
                    Issue.record("seed \(seed): octets changed before step \(step)")
                    return
                }
            }
            try test?.finish()
            // A run without transfers shows nothing.
            let (opened, transferred) = (test?.opened ?? 0, test?.transferred ?? 0)
            #expect(opened > 4 && transferred > 500, "seed \(seed): \(opened) opened, \(transferred) octets")
            let made = test?.made ?? []
            test = nil
            testbed.run(.seconds(1))
            let left = made.compactMap(\.object)
            #expect(left.isEmpty, "seed \(seed): \(left.map { type(of: $0) }) are left")
        }
    }
}
