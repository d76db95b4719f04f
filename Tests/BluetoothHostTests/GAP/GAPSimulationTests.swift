// The machines of Generic Access against models of a controller: after requests, refusals and events in any order, the
// controller is in the wanted state.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GAP machines: simulations")
struct GAPSimulationTests {
    private static let devices = (1...5).map { DeviceAddress(0xC000_0000_0000 + UInt64($0), kind: .random) }

    @Test(
        "advertises at the end if requested, with the last data, and reports each start once",
        arguments: simulationSeeds(30)
    )
    func advertiser(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var machine = Advertiser()
        var steps: [Advertiser.Step] = []
        var (data, isOn): (ByteBuffer?, Bool) = (nil, false)
        var (wanted, reported): (ByteBuffer?, Set<Int>) = (nil, [])
        var refusals = 0
        func answer(_ failure: LEHostError?) {
            guard let step = steps.popLast() else { return }
            refusals = failure == nil ? 0 : refusals + 1
            #expect(machine.next() == nil, "one command is pending")
            if failure == nil {
                switch step {
                case .setParameters, .setScanResponse: #expect(!isOn)
                case .setData(let octets): data = octets
                case .enable: isOn = true
                case .disable: isOn = false
                }
            }
            let (outcome, next) = machine.completed(failure, isExcluded: failure != nil && choices.once(in: 2))
            switch outcome {
            case .started(let number), .refused(let number, _): #expect(reported.insert(number).inserted)
            case .ended, nil: break
            }
            if let next { steps.append(next) }
        }
        for _ in 0..<300 {
            switch choices.below(12) {
            case 0:
                wanted = ByteBuffer(bytes: choices.octets(1))
                _ = machine.start(AdvertisingParameters(data: wanted ?? ByteBuffer()))
            case 1: machine.stop()
            case 2 where isOn && steps.isEmpty:
                isOn = false
                machine.ended()
            case 3: if let number = machine.waitForLink() { #expect(reported.insert(number).inserted) }
            case 4: machine.isHeld = choices.once(in: 3)
            case 5...8: if steps.isEmpty, let step = machine.next() { steps.append(step) }
            // It stops advertising at the third attempt at the latest.
            case _ where steps.last == .disable && refusals == 2: answer(nil)
            default: answer(choices.once(in: 4) ? .refused(.commandDisallowed) : nil)
            }
        }
        machine.isHeld = false
        while let step = steps.last ?? machine.next() {
            if steps.isEmpty { steps.append(step) }
            answer(nil)
        }
        #expect(isOn == machine.isWanted && machine.isOff == !isOn)
        #expect(!isOn || data == wanted)
    }

    @Test(
        "initiates to pending devices at the end, and changes the accept list only while idle",
        arguments: simulationSeeds(30)
    )
    func initiator(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var machine = Initiator()
        machine.acceptListSize = choices.pick([8, 3, 2, 1, 0])
        var (step, targets, list, endIsDue): (Initiator.Step?, [DeviceAddress], [DeviceAddress], Bool) = (
            nil, [], [], false
        )
        func answer(_ status: HCIErrorCode) {
            guard let answered = step else { return }
            step = nil
            if status == .success {
                switch answered {
                case .clearAcceptList: list = []
                case .addToAcceptList(let address): list.append(address)
                case .removeFromAcceptList(let address): list.removeAll { $0 == address }
                case .create(let address): targets = [address]
                case .createFromAcceptList: targets = list
                case .cancel: (targets, endIsDue) = ([], true)
                }
            }
            for failed in machine.completed(status) { #expect(!machine.pending.contains(failed)) }
        }
        func next() {
            guard step == nil, let next = machine.next() else { return }
            #expect(machine.next() == nil, "one command is pending")
            if next != .cancel { #expect(targets.isEmpty, "nothing is initiated") }
            step = next
        }
        func end() {
            endIsDue = false
            _ = machine.finished(nil, error: .unknownConnectionIdentifier)
        }
        for _ in 0..<400 {
            switch choices.below(16) {
            case 0...2: machine.connect(to: choices.pick(Self.devices))
            case 3: _ = machine.cancel(choices.pick(Self.devices))
            case 4: machine.isHeld = choices.once(in: 3)
            case 5: machine.unresolvable = choices.once(in: 2) ? [] : [choices.pick(Self.devices)]
            case 6:
                let device = choices.pick(Self.devices)
                let address = DeviceAddress(device.value & 0xFFFF_FFFF | 0x4000_0000_0000, kind: .random)
                _ = machine.heard(device, at: choices.once(in: 2) ? address : device)
            case 7: if choices.once(in: 3) { machine.forgetHeard() } else { machine.rotate() }
            case 8 where !targets.isEmpty && step == nil:
                let device = machine.device(at: choices.pick(targets))
                targets = []
                #expect(machine.finished(device, error: .success) == [] && !machine.pending.contains(device))
            case 9 where endIsDue: if choices.once(in: 4) { machine.cancellingTimedOut() } else { end() }
            case 10...12: next()
            default: answer(step == .cancel || !choices.once(in: 8) ? .success : .commandDisallowed)
            }
            #expect(Set(machine.pending).count == machine.pending.count)
        }
        machine.isHeld = false
        machine.unresolvable = []
        for _ in 0..<40 {
            next()
            answer(.success)
            if endIsDue { end() }
        }
        #expect(targets.isEmpty == machine.pending.isEmpty && machine.isIdle == targets.isEmpty)
        #expect(targets.allSatisfy { machine.pending.contains(machine.device(at: $0)) })
    }

    @Test("resolves exactly the entries that the controller has", arguments: simulationSeeds(20))
    func resolvingList(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var machine = ResolvingList()
        let capacity = choices.pick([0, 1, 2, 5])
        machine.capacity = capacity + choices.below(2)
        machine.knowsPrivacyMode = choices.once(in: 2)
        var (entries, isEnabled): ([DeviceAddress: ResolvingList.Entry], Bool) = ([:], false)
        var wanted: [ResolvingList.Entry] = []
        func step(_ refuses: Bool) {
            guard let step = machine.next() else { return }
            #expect(machine.next() == nil, "one command is pending")
            var status = refuses ? HCIErrorCode.commandDisallowed : .success
            if status == .success {
                switch step {
                case .clear: entries = [:]
                case .setTimeout: break
                case .remove(let peer):
                    if entries.removeValue(forKey: peer) == nil { status = .unknownConnectionIdentifier }
                case .add(let entry):
                    if entries.count == capacity {
                        status = .memoryCapacityExceeded
                    } else {
                        entries[entry.peer] = entry
                    }
                case .setMode(let peer, let mode): entries[peer]?.mode = mode
                case .enable(let enables): isEnabled = enables
                }
            }
            machine.completed(status)
        }
        for _ in 0..<200 {
            switch choices.below(10) {
            case 0:
                wanted = choices.some(Self.devices).map {
                    ResolvingList.Entry(
                        peer: $0,
                        peerKey: Octets16(high: 1, low: $0.value + UInt64(choices.below(2))),
                        localKey: choices.once(in: 4) ? .zero : Octets16(high: 0, low: 7),
                        mode: choices.once(in: 2) ? .device : .network
                    )
                }
                machine.want(wanted, timeout: nil)
            case 1: if choices.once(in: 4) { machine.renewAddresses() }
            default: step(seed % 2 == 0 && choices.once(in: 10))
            }
            #expect(entries.count <= capacity)
            for entry in wanted where machine.resolves(entry.peer) {
                #expect(isEnabled && entries[entry.peer] != nil)
                #expect(machine.isDue || entries[entry.peer]?.peerKey == entry.peerKey)
            }
        }
        for _ in 0..<60 { step(false) }
        #expect(!machine.isDue && (!machine.isResolving || isEnabled))
    }

    @Test("never mixes octets of two advertisements, and reports at most 1650", arguments: simulationSeeds(20))
    func reassembler(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var machine = AdvertisingReassembler()
        var now = NIODeadline.uptimeNanoseconds(0)
        let sources = seed % 3 == 0 ? 40 : 3
        for _ in 0..<400 {
            now = now + .milliseconds(Int64(choices.pick([0, 1, 10, choices.once(in: 6) ? 2_999 : 5, 3_000])))
            let source = choices.below(sources)
            var type = LEExtendedAdvertisingReport.EventType.connectable
            if source % 2 == 0 { type.insert(.scanResponse) }
            type.dataStatus = choices.pick([.incomplete, .incomplete, .incomplete, .complete, .truncated])
            let report = LEExtendedAdvertisingReport(
                eventType: type,
                address: DeviceAddress(UInt64(source / 2), kind: .public),
                setIdentifier: UInt8(source),
                rssi: nil,
                data: ByteBuffer(repeating: UInt8(source), count: choices.pick([0, 1, 229, 229, 229, 229, 46, 47]))
            )
            guard let whole = machine.receive(report, now: now) else { continue }
            #expect(whole.data.readableBytes <= 1650)
            #expect(whole.data.readableBytesView.allSatisfy { $0 == whole.setIdentifier })
        }
    }
}
