// Channels that are opened, written, closed, withdrawn, lost and released at random, while links and adapters come and
// go: octets come in order, a transfer works at the end, and nothing is left in memory.

import BluetoothAir
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12 Channels, random use")
struct ChannelSimulationTests {
    private struct Weak {
        weak var object: AnyObject?
    }

    /// A central and a ball, and the users of their channels.
    private final class Apps {
        let testbed: Testbed
        private let adapters: [BluetoothAdapter]
        private let ball: PeripheralApp
        private let central: CentralApp
        private let peripheral: CBPeripheral
        private var users: [StreamUser] = []
        private var choices: SeededChoices
        private(set) var made: [Weak] = []
        private(set) var opened = 0
        private(set) var transferred = 0

        init(seed: UInt64) throws {
            self.choices = SeededChoices(seed: seed)
            let testbed = Testbed(seed: seed)
            self.testbed = testbed
            self.adapters = ["Crystal", "Curious"].map { testbed.adapter($0) }
            let (ball, central) = (PeripheralApp(on: self.adapters[0]), CentralApp(on: self.adapters[1]))
            (self.ball, self.central) = (ball, central)
            testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
            ball.open()
            testbed.run(.milliseconds(1))
            self.peripheral = try central.connect(in: testbed)
            central.found = []
            ball.onChannel = { [unowned self] in self.take($0, salt: 0xFF) }
            central.onChannel = { [unowned self] in self.take($0, salt: 0x00) }
            self.made = [ball, central, ball.manager, central.manager, self.peripheral].map { Weak(object: $0) }
        }

        var isUnchanged: Bool { self.users.allSatisfy(\.isUnchanged) }

        private func take(_ channel: CBL2CAPChannel, salt: UInt8) {
            // Some apps ignore a channel.
            guard !self.choices.once(in: 16) else { return }
            let user = StreamUser(channel, salt: salt, piece: self.choices.pick([65_521, 97]))
            self.made += [user, channel, user.input, user.output].map { Weak(object: $0) }
            user.reads = !self.choices.once(in: 4)
            if !self.choices.once(in: 8) { user.open() }
            self.opened += 1
            self.users.append(user)
        }

        private func release(_ users: [StreamUser]) {
            self.transferred += users.reduce(0) { $0 + $1.received }
            self.users.removeAll { user in users.contains { $0 === user } }
        }

        func step() {
            let choice = self.choices.below(40)
            switch choice {
            case 0...5: if let psm = self.psm { self.peripheral.openL2CAPChannel(psm) }
            case 6...27: if !self.users.isEmpty { self.use(self.choices.pick(self.users), choice) }
            case 28, 29: self.ball.manager.publishL2CAPChannel(withEncryption: self.choices.once(in: 8))
            case 30:
                if let psm = self.psm, self.choices.once(in: 3) { self.ball.manager.unpublishL2CAPChannel(psm) }
            case 31:
                if self.choices.once(in: 8) { self.central.manager.cancelPeripheralConnection(self.peripheral) }
            case 32...34:
                if self.peripheral.state == .disconnected { self.central.manager.connect(self.peripheral) }
            case 35:
                let loss = self.choices.once(in: 16) ? 1 : Double(self.choices.below(4)) / 10
                self.testbed.air.setLoss(LossProbability(loss))
            case 36, 37:
                if self.choices.once(in: 8) { self.adapters[choice - 36].setPowered(self.choices.once(in: 2)) }
            case 38: for adapter in self.adapters { adapter.setPowered(true) }
            default: self.advertise()
            }
            let microseconds = self.choices.once(in: 20) ? 3_000_000 : self.choices.below(5_000)
            self.testbed.run(.microseconds(Int64(microseconds)))
        }

        private var psm: CBL2CAPPSM? { self.ball.psms.isEmpty ? nil : self.choices.pick(self.ball.psms) }

        private func use(_ user: StreamUser, _ choice: Int) {
            switch choice {
            case 6...15: user.write(1 + self.choices.below(20_000))
            case 16...20: user.read(atMost: 1 + self.choices.below(50_000))
            case 21: user.reads.toggle()
            case 22: user.close()
            case 23: user.input.close()
            case 24: user.output.close()
            case 25: user.channel = nil
            case 26: user.open()
            default:
                if self.choices.once(in: 2) { user.close() }
                self.release([user])
            }
        }

        private func advertise() {
            if self.ball.manager.state == .poweredOn, !self.ball.manager.isAdvertising {
                self.ball.advertise(name: "Crystal")
            }
        }

        /// Transfers once more on a channel of its own, and ends both apps.
        func finish() throws {
            self.testbed.air.setLoss(0)
            for adapter in self.adapters { adapter.setPowered(true) }
            self.release(self.users)
            // A channel with unsent octets and no reader closes after a time limit.
            self.testbed.run(.seconds(70))
            self.advertise()
            if self.peripheral.state != .connected { self.central.manager.connect(self.peripheral) }
            try #require(self.testbed.run(until: { self.peripheral.state == .connected }, within: .seconds(30)))
            for psm in Set(self.ball.psms) { self.ball.manager.unpublishL2CAPChannel(psm) }
            self.testbed.run(.milliseconds(100))
            self.release(self.users)
            self.ball.psms = []
            self.ball.manager.publishL2CAPChannel(withEncryption: false)
            try #require(self.testbed.run { !self.ball.psms.isEmpty })
            var ends: [StreamUser] = []
            self.central.onChannel = { ends.append(StreamUser($0, salt: 0x00)) }
            self.ball.onChannel = { ends.append(StreamUser($0, salt: 0xFF)) }
            self.peripheral.openL2CAPChannel(self.ball.psms[0])
            try #require(self.testbed.run { ends.count == 2 })
            for user in ends {
                user.open()
                user.write(100_000)
                self.made += [user, user.channel, user.input, user.output].map { Weak(object: $0) }
            }
            #expect(self.testbed.run { ends.allSatisfy { $0.received == 100_000 && $0.isUnchanged } })
            self.central.onChannel = nil
            self.ball.onChannel = nil
            self.central.manager.cancelPeripheralConnection(self.peripheral)
            self.testbed.run(.seconds(1))
            self.ball.end()
            self.central.end()
        }
    }

    @Test("12 carry octets in order, work at the end, and leave nothing in memory", arguments: simulationSeeds(4))
    func run(seed: UInt64) throws {
        var apps: Apps? = try Apps(seed: seed)
        let testbed = try #require(apps?.testbed)
        try CapturedLog().capture {
            for step in 0..<300 {
                apps?.step()
                try #require(apps?.isUnchanged == true, "step \(step)")
            }
            try apps?.finish()
            let (opened, transferred, made) = (apps?.opened ?? 0, apps?.transferred ?? 0, apps?.made ?? [])
            #expect(opened > 4 && transferred > 500, "a run without transfers shows nothing")
            apps = nil
            testbed.run(.seconds(1))
            let left = made.compactMap(\.object)
            #expect(left.isEmpty, "\(left.map { type(of: $0) })")
        }
    }
}
