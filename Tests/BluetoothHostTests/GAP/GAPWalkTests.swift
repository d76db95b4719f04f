// Walks through the machines of Generic Access, with everything that they do on record: wishes of the user, answers of
// the controller and events in any order, valid or not.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GAP machines: walks")
struct GAPWalkTests {
    private static let statuses: [HCIErrorCode] = [
        .success, .success, .success, .success, .success, .success, .commandDisallowed, .unknownCommand,
        .memoryCapacityExceeded, .unknownConnectionIdentifier, .invalidParameters,
    ]
    private static let devices = (1...5).map { DeviceAddress(0xC000_0000_0000 + UInt64($0), kind: .random) }

    private static func time(_ milliseconds: Int) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(Int64(milliseconds))
    }

    @Test("the advertiser has one command on its way, whatever comes between", arguments: 0..<12 as Range<UInt64>)
    func advertiser(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = Advertiser()
        var isOnItsWay = false
        let requests = [[2, 1, 6], [2, 1, 4]].flatMap { octets in
            [true, false].map {
                AdvertisingParameters(data: ByteBuffer(bytes: octets as [UInt8]), isConnectable: $0)
            }
        }
        for _ in 0..<250 {
            switch choice.below(14) {
            case 0: RunRecord.note("start \(machine.start(choice.one(requests)))")
            case 1: machine.stop()
            case 2:
                machine.connected(asPeripheral: choice.oneIn(2))
            // The command that is on its way is answered nevertheless.
            case 3: machine.disconnected(linksLeft: choice.below(2))
            case 4: machine.isHeld = choice.oneIn(3)
            case 5 where choice.oneIn(12):
                machine.reset()
                isOnItsWay = false
            case 5...9:
                guard let step = machine.next() else { continue }
                RunRecord.note("\(step)")
                isOnItsWay = true
                #expect(machine.next() == nil)
            default:
                guard isOnItsWay || choice.oneIn(8) else { continue }
                let failure: LEHostError? =
                    choice.oneIn(4) ? choice.one([.refused(.commandDisallowed), .unanswered]) : nil
                let (outcome, step) = machine.completed(failure)
                isOnItsWay = step != nil
                RunRecord.note(
                    "\(String(describing: failure)) \(String(describing: outcome)) \(String(describing: step))"
                )
            }
            RunRecord.note("wanted \(machine.isWanted) off \(machine.isOff)")
        }
    }

    @Test("the scanner has one command on its way, whatever comes between", arguments: 0..<12 as Range<UInt64>)
    func scanner(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = Scanner()
        for _ in 0..<250 {
            switch choice.below(16) {
            case 0:
                machine.start(ScanParameters(isActive: choice.oneIn(2), filtersDuplicates: choice.oneIn(2)))
            case 1: machine.stop()
            case 2: machine.pause()
            case 3: machine.resume()
            case 4: machine.circumstancesChanged()
            case 5: machine.setNeededByInitiator(choice.oneIn(2))
            case 6: machine.isHeld = choice.oneIn(3)
            case 7 where choice.oneIn(12): machine.reset()
            case 7...11:
                guard let step = machine.next() else { continue }
                RunRecord.note("\(step)")
                #expect(machine.next() == nil)
            default:
                let status = choice.one(Self.statuses)
                let step = machine.completed(status)
                RunRecord.note("\(status.rawValue) \(String(describing: step))")
            }
            RunRecord.note(
                "\(machine.isWanted) \(machine.isNeeded) \(machine.isOff) \(machine.isPaused) "
                    + "\(machine.isNeededByInitiator)"
            )
        }
    }

    @Test("the initiator asks for what is wanted, whatever the controller answers", arguments: 0..<40 as Range<UInt64>)
    func initiator(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = Initiator()
        machine.acceptListSize = [8, 3, 2, 1, 0][Int(seed % 5)]
        for _ in 0..<300 {
            switch choice.below(22) {
            case 0...3: machine.connect(to: choice.one(Self.devices))
            case 4: RunRecord.note("cancel \(machine.cancel(choice.one(Self.devices)))")
            case 5 where choice.oneIn(3): machine.isHeld = choice.oneIn(3)
            case 6 where choice.oneIn(3):
                machine.unresolvable = choice.oneIn(2) ? [] : [choice.one(Self.devices)]
            case 7, 8:
                let device = choice.one(Self.devices)
                let address = DeviceAddress(device.value & 0x0000_FFFF_FFFF | 0x4000_0000_0000, kind: .random)
                RunRecord.note("heard \(machine.heard(device, at: address)) \(machine.device(at: address))")
            case 9: machine.forgetHeard()
            case 10: machine.rotate()
            case 11: RunRecord.note("wait \(machine.waitForRadio())")
            case 12: machine.radioIsFree()
            case 13 where choice.oneIn(2): machine.cancellingTimedOut()
            case 14:
                let peer = choice.oneIn(2) ? choice.one(Self.devices) : nil
                let error: HCIErrorCode =
                    peer == nil ? choice.one([.unknownConnectionIdentifier, .connectionLimitExceeded]) : .success
                RunRecord.note("finished \(machine.finished(peer, error: error))")
            case 15...18:
                guard let step = machine.next() else { continue }
                RunRecord.note("\(step)")
                #expect(machine.next() == nil)
            default:
                let status = choice.one(Self.statuses)
                RunRecord.note("\(status.rawValue) \(machine.completed(status))")
            }
            RunRecord.note(
                "\(machine.pending) \(machine.isIdle) \(machine.isSilent) \(machine.awaitsEnd) \(machine.needsScan) "
                    + "\(machine.hasDevicesInWaiting) \(machine.acceptListSize)"
            )
            #expect(Set(machine.pending).count == machine.pending.count)
        }
    }

    @Test("the resolving list is brought to what is wanted, whatever is refused", arguments: 0..<40 as Range<UInt64>)
    func resolvingList(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = ResolvingList()
        machine.capacity = [0, 1, 2, 5][Int(seed % 4)]
        machine.knowsPrivacyMode = seed % 3 != 0
        // Half of the walks meet no refusal, and so get to the end of the list.
        let statuses = seed % 2 == 0 ? [HCIErrorCode.success] : Self.statuses
        for _ in 0..<160 {
            switch choice.below(10) {
            case 0:
                let entries = Self.devices.prefix(choice.below(6)).map {
                    ResolvingList.Entry(
                        peer: $0,
                        peerKey: Octets16(high: 1, low: $0.value + UInt64(choice.oneIn(8) ? 1 : 0)),
                        localKey: choice.oneIn(4) ? .zero : Octets16(high: 0, low: 7),
                        mode: choice.oneIn(2) ? .device : .network
                    )
                }
                let timeout = choice.one([nil, 60, 900] as [Int64?])
                machine.want(entries, timeout: timeout.map { ResolvablePrivateAddressTimeout(.seconds($0)) })
            case 1 where choice.oneIn(4): machine.renewAddresses()
            case 1 where choice.oneIn(30): machine.reset()
            case 1...5:
                guard let step = machine.next() else { continue }
                RunRecord.note("\(step)")
                #expect(machine.isDue)
                #expect(machine.next() == nil)
            default:
                let status = choice.one(statuses)
                machine.completed(status)
                RunRecord.note("\(status.rawValue)")
            }
            RunRecord.note(
                "\(machine.isDue) \(machine.isResolving) \(machine.isUsable) \(machine.capacity) "
                    + "\(machine.knowsPrivacyMode) \(Self.devices.map(machine.resolves))"
            )
        }
    }

    @Test("fragments of many advertisers are put together, or dropped", arguments: 0..<12 as Range<UInt64>)
    func reassembler(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = AdvertisingReassembler()
        var now = 0
        let sources = seed % 3 == 0 ? 40 : 3
        for _ in 0..<400 {
            now += choice.one([0, 1, 10, choice.oneIn(6) ? 2_999 : 5, choice.oneIn(6) ? 3_000 : 1])
            if choice.oneIn(100) { machine.reset() }
            let source = choice.below(sources)
            var type = LEExtendedAdvertisingReport.EventType.connectable
            if choice.oneIn(6) { type.insert(.scanResponse) }
            type.dataStatus = choice.one([.incomplete, .incomplete, .incomplete, .complete, .truncated])
            let length = choice.one([0, 1, 229, 229, 229, 229, 46, 47])
            let report = LEExtendedAdvertisingReport(
                eventType: type,
                address: source == 0 ? nil : DeviceAddress(UInt64(source), kind: .public),
                primaryPHY: choice.oneIn(8) ? .leCoded : .le1M,
                secondaryPHY: choice.oneIn(8) ? .le2M : nil,
                setIdentifier: choice.oneIn(8) ? 1 : nil,
                rssi: nil,
                data: ByteBuffer(repeating: UInt8(choice.below(256)), count: length)
            )
            let whole = machine.receive(report, now: Self.time(now))
            #expect((whole?.data.readableBytes ?? 0) <= AdvertisingReassembler.maximumDataLength)
            RunRecord.note(
                whole.map { "\($0.eventType.rawValue) \($0.data.hex) \(String(describing: $0.address))" } ?? "-"
            )
        }
    }

    @Test("advertising data of exactly the longest length is reported, and one octet more is not")
    func longestData() {
        for (last, isReported) in [(46, true), (47, true), (48, false)] {
            var machine = AdvertisingReassembler()
            var whole: LEExtendedAdvertisingReport?
            // 7 × 229 + 47 = 1650.
            for length in Array(repeating: 229, count: 7) + [last] {
                var type = LEExtendedAdvertisingReport.EventType()
                type.dataStatus = length == last ? .complete : .incomplete
                let report = LEExtendedAdvertisingReport(
                    eventType: type,
                    address: Self.devices[0],
                    rssi: nil,
                    data: ByteBuffer(repeating: 1, count: length)
                )
                whole = machine.receive(report, now: Self.time(0))
            }
            #expect((whole != nil) == isReported)
        }
    }

    @Test(
        "a private address is replaced when it is old or used, whatever is answered",
        arguments: 0..<12 as Range<UInt64>
    )
    func privateAddress(seed: UInt64) {
        var choice = WalkChoice(seed)
        var machine = PrivateAddress()
        let configuration = PrivacyConfiguration(
            rotationInterval: .seconds(10),
            connectionsPerAddress: [nil, 0, 1, 3][Int(seed % 4)]
        )
        var now = 0
        for _ in 0..<200 {
            now += choice.one([0, 0, 1, 999, 1_000, 5_000, choice.oneIn(5) ? 10_000 : 1])
            switch choice.below(8) {
            case 0...2:
                let key = Octets16(high: 3, low: 4)
                let next = machine.next(configuration, key: key, now: Self.time(now), using: &choice.generator)
                RunRecord.note("next \(String(describing: next))")
            case 3...5: machine.completed(choice.one(Self.statuses), configuration, now: Self.time(now))
            case 6: machine.countLink()
            default: if choice.oneIn(10) { machine.reset() }
            }
            RunRecord.note(
                "\(String(describing: machine.address)) \(String(describing: machine.deadline)) "
                    + "\(machine.isDue(configuration, now: Self.time(now)))"
            )
        }
    }

    @Test("every link against every requirement: what is missing, and what a client asks for then")
    func security() {
        let keys: [LinkSecurity.Key?] =
            [nil]
            + [7, 8, 15, 16].flatMap { size in
                [false, true].flatMap { isAuthenticated in
                    [false, true].map {
                        LinkSecurity.Key(isAuthenticated: isAuthenticated, isSecureConnections: $0, size: size)
                    }
                }
            }
        let requirements = SecurityLevel.allCases.flatMap { level in
            [6, 7, 8, 16, 17].flatMap { size in
                [false, true].map {
                    SecurityRequirement(level: level, minimumKeySize: size, needsAuthorization: $0)
                }
            }
        }
        for key in keys {
            for isBonded in [false, true] {
                for isAuthorized in [false, true] {
                    let security = LinkSecurity(key: key, isBonded: isBonded, isAuthorized: isAuthorized)
                    let shortfalls = requirements.flatMap { requirement in
                        [7, 16].map { security.shortfall(of: requirement, minimumKeySize: $0) }
                    }
                    RunRecord.note("\(security) \(shortfalls)")
                    RunRecord.note("\(SecurityShortfall.allCases.map(security.level(afterRefusalFor:)))")
                    #expect(security.shortfall(of: .none) == nil)
                }
            }
        }
        for (first, second) in zip(requirements, requirements.reversed()) {
            RunRecord.note("\(first.combined(with: second))")
            #expect(first.combined(with: second) == second.combined(with: first))
        }
        for number in 0...255 as ClosedRange<UInt8> {
            let result = L2CAPConnectionResult(rawValue: UInt16(number))
            let shortfall = SecurityShortfall(ATTErrorCode(rawValue: number))
            RunRecord.note(
                "\(number) \(String(describing: shortfall)) \(String(describing: SecurityShortfall(result)))"
            )
            RunRecord.note("\(result)")
        }
    }

    @Test("resolvable private addresses: which keys they match, at both ends of the random part")
    func addresses() {
        var choice = WalkChoice(0)
        for number in 0..<64 {
            let key = number == 0 ? Octets16.zero : Octets16.random(using: &choice.generator)
            let address = ResolvablePrivateAddress.make(key, using: &choice.generator)
            #expect(ResolvablePrivateAddress.matches(address, key) == (number > 0))
            for bit in 0..<48 {
                let other = DeviceAddress(address.value ^ 1 << UInt64(bit), kind: .random)
                #expect(!ResolvablePrivateAddress.matches(other, key))
            }
            RunRecord.note("\(address)")
        }
        for number in [0, 0x3F_FFFF, 1, 0x3F_FFFE, 0x40_0000, 0x7F_FFFF] as [UInt64] {
            var fixed = FixedNumbers(number: number)
            RunRecord.note("\(ResolvablePrivateAddress.make(Octets16(high: 1, low: 2), using: &fixed))")
        }
    }

    private struct FixedNumbers: RandomNumberGenerator {
        let number: UInt64
        mutating func next() -> UInt64 { self.number }
    }
}
