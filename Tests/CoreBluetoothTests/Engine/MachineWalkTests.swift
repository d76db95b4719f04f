// The machines of the engine on random walks: whatever happens in whatever order, what each decides is on record.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Walks through the machines of the engine")
struct MachineWalkTests {
    private static let seeds = 1...8 as ClosedRange<UInt64>

    @Test("the supervision of a controller that opens, fails, gets ready and is switched", arguments: seeds)
    func supervision(seed: UInt64) {
        var chance = Chance(seed: seed)
        var supervision = ControllerSupervision()
        var now = NIODeadline.uptimeNanoseconds(0)
        for step in 0..<400 {
            now = now + .milliseconds(Int64(chance.pick([0, 1, 500, 1_999, 2_000, 2_001])))
            let actions: [ControllerSupervision.Action]
            switch chance.below(20) {
            case 0: actions = supervision.begin()
            case 1...4: actions = supervision.opened()
            case 5, 6:
                let failure = ChannelFailure(reason: "reason \(chance.below(20))", isFinal: chance.once(in: 30))
                actions = supervision.openingFailed(failure)
            case 7...9: actions = supervision.hostChanged(to: .ready, now: now)
            case 10, 11: actions = supervision.hostChanged(to: .failed("failure \(chance.below(20))"), now: now)
            case 12: actions = supervision.hostChanged(to: chance.pick([.detached, .starting]), now: now)
            case 13...16: actions = supervision.retryDelayElapsed()
            case 17: actions = supervision.setPowered(true)
            case 18: actions = chance.once(in: 3) ? supervision.setPowered(false) : supervision.begin()
            default: actions = step > 380 && chance.once(in: 2) ? supervision.shutDown() : supervision.opened()
            }
            RunRecord.note("\(step) \(actions) \(supervision.managerState)")
            let delays = actions.compactMap { if case .scheduleRetry(let delay) = $0 { delay } else { nil } }
            #expect(delays.allSatisfy { ControllerSupervision.retryDelays.contains($0) })
        }
    }

    @Test("the link to a peer, with five connections that come and go", arguments: seeds)
    func peerLink(seed: UInt64) {
        var chance = Chance(seed: seed)
        var link = PeerLink<Int>()
        for step in 0..<600 {
            let connection = chance.below(5)
            var actions: [PeerLink<Int>.Action]?
            switch chance.below(12) {
            case 0...3 where link.phase(of: connection) == nil:
                actions = link.add(connection, reconnects: chance.once(in: 3), isDelayed: chance.once(in: 4))
            case 0, 4: actions = link.startDelayElapsed(connection)
            case 5, 6: actions = link.cancel(connection)
            case 1, 2, 7, 8:
                actions = link.connected(LinkID(rawValue: UInt32(step)), isCentral: !chance.once(in: 3))
            case 9: actions = link.connectingFailed(HCIErrorCode(rawValue: UInt8(chance.below(64))))
            case 10: actions = link.disconnected(HCIErrorCode(rawValue: UInt8(chance.below(64))))
            default: actions = link.connectIfWanted()
            }
            let phases = (0..<5).map { link.phase(of: $0) }
            let id = link.id.map { "\($0.rawValue)" } ?? "-"
            RunRecord.note(
                "\(step) \(actions.map { "\($0)" } ?? "nil") \(id) \(link.isUnused)"
                    + " \(link.connections) \(link.established) \(phases)"
            )
            #expect(link.established.allSatisfy { link.phase(of: $0) == .established })
            #expect(link.established.isEmpty || link.id != nil)
        }
    }

    @Test("one advertisement for four managers in the foreground, in the background and refused", arguments: seeds)
    func sharedAdvertising(seed: UInt64) {
        var chance = Chance(seed: seed)
        var shared = SharedAdvertising<Int>()
        var number = 0
        for step in 0..<400 {
            let manager = chance.below(4)
            let permission = chance.pick([ManagerPermission.everything, .background, .nothing])
            let actions: [SharedAdvertising<Int>.Action]
            switch chance.below(12) {
            case 0...3:
                var content = AdvertisedContent(services: chance.some([0x180D, 0x180F, 0xFFF0]))
                if chance.once(in: 2) { content.localName = "name \(step)" }
                if chance.once(in: 4) { content.manufacturerData = chance.octets(chance.below(28)) }
                let isRestored = chance.once(in: 4)
                actions = shared.start(content, for: manager, under: permission, isRestored: isRestored)
            case 4, 5: actions = shared.stop(manager)
            case 6: actions = shared.changePermission(to: permission) { $0 <= manager }
            case 7, 8: actions = shared.answered(.success(()), number: number - (chance.once(in: 5) ? 1 : 0))
            case 9:
                let error = LEHostError.refused(HCIErrorCode(rawValue: UInt8(chance.below(32))))
                actions = shared.answered(.failure(error), number: number)
            case 10:
                shared.adapterStopped(isReset: chance.once(in: 2))
                actions = []
            default: actions = shared.adapterStarted()
            }
            for action in actions { if case .advertise(_, _, let new) = action { number = new } }
            let contents = (0..<4).map { shared.content(of: $0)?.localName ?? "-" }
            RunRecord.note("\(step) \(actions) \(contents)")
        }
    }

    @Test("the subscriptions of four apps to one characteristic", arguments: seeds)
    func subscription(seed: UInt64) {
        var chance = Chance(seed: seed)
        let characteristic = GATTRemoteCharacteristic(
            uuid: 0x2A37,
            properties: [.notify],
            declarationHandle: 2,
            valueHandle: 3,
            endHandle: 4
        )
        var subscription = Subscription<Int>(to: characteristic)
        var isAwaited = false
        for step in 0..<500 {
            let subscriber = chance.below(4)
            var taken: Subscription<Int>.Step?
            switch chance.below(6) {
            case 0...2 where !isAwaited: taken = subscription.set(chance.once(in: 2), for: subscriber)
            case 3 where !isAwaited: taken = subscription.release()
            case 4: subscription.remove(subscriber)
            default:
                subscription.written(isAccepted: chance.below(3) > 0)
                isAwaited = false
            }
            if case .write? = taken { isAwaited = true }
            var subscribers: [Int] = []
            subscription.forEachSubscriber { subscribers.append($0) }
            let asked = (0..<4).map { subscription.isSubscribed($0) }
            RunRecord.note(
                "\(step) \(taken.map { "\($0)" } ?? "-") \(subscription.isOff) \(subscription.needsRelease) "
                    + "\(subscribers) \(asked)"
            )
            #expect(subscribers.sorted() == (0..<4).filter { asked[$0] })
        }
    }

    @Test("the resumption of an app's attributes", arguments: seeds)
    func resumption(seed: UInt64) {
        var chance = Chance(seed: seed)
        var resumption = Resumption()
        let hashes = [nil, Data([1]), Data([2])]
        for step in 0..<200 {
            var said = ""
            switch chance.below(5) {
            case 0: resumption.begin()
            case 1, 2:
                let verdict = resumption.identified(known: chance.pick(hashes), present: chance.pick(hashes))
                said = verdict.map { "\($0)" } ?? "nil"
            case 3: said = "\(resumption.compared(isUnchanged: chance.once(in: 2)))"
            default: said = "\(resumption.finishComparison())"
            }
            RunRecord.note("\(step) \(said) \(resumption.isUnderWay) \(resumption.isComparing)")
        }
    }

    @Test("invalid ranges of handles, up to the limit and over it", arguments: seeds)
    func invalidations(seed: UInt64) {
        var chance = Chance(seed: seed)
        var invalidations = chance.once(in: 2) ? Invalidations() : Invalidations(lostAfter: chance.below(300))
        for step in 0..<700 {
            if chance.once(in: 100) {
                invalidations.appendLoss()
            } else {
                let first = UInt16(1 + chance.below(1000))
                invalidations.append(first...first + UInt16(chance.below(50)))
            }
            guard chance.once(in: 5) else { continue }
            let count = chance.below(invalidations.count + 2)
            let handle = UInt16(1 + chance.below(1100))
            let isMet = invalidations.contains(after: count) { $0.contains(handle) }
            RunRecord.note("\(step) \(invalidations.count) \(count) \(isMet) \(invalidations.isBeforeLoss(count))")
        }
    }

    @Test("links that are held for several, and channels that are asked for in turn", arguments: seeds)
    func held(seed: UInt64) {
        var chance = Chance(seed: seed)
        var links = HeldLinks()
        var requests = ChannelOpenRequests()
        for step in 0..<300 {
            let link = LinkID(rawValue: UInt32(chance.below(3)))
            let owner = TransmitToken(rawValue: UInt64(chance.below(3)))
            var said = ""
            switch chance.below(9) {
            case 0, 1: said = "\(links.hold(link, for: owner))"
            case 2, 3: said = "\(links.release(link, for: owner))"
            case 4: links.forget(link)
            case 5, 6:
                let psm = chance.pick([0, 0x7F, 0x80, 0xFF, 0x100] as [CBL2CAPPSM])
                said = requests.enqueue(psm).map { "\($0)" } ?? "nil"
            case 7: said = requests.completed().map { "\($0)" } ?? "nil"
            default: if chance.once(in: 4) { requests.cancelAll() }
            }
            RunRecord.note("\(step) \(said)")
        }
    }

    @Test("scans in the foreground and in the background, and what each permission leaves of an advertisement")
    func permissions() {
        var chance = Chance(seed: 1)
        for step in 0..<60 {
            var filter = ScanFilter(services: chance.pick([nil, [], [0x180D], [0x180D, 0xFFF0]]))
            filter.allowsDuplicates = chance.once(in: 2)
            filter.solicitedServices = chance.some([0x1812])
            let scan = Scan(session: 1, number: step, filter: filter)
            let content = AdvertisedContent(localName: "name", services: chance.some([0x180D, 0xFFF0]))
            for permission in [ManagerPermission.everything, .background, .nothing] {
                RunRecord.note(
                    "\(step) \(permission) \(scan.under(permission).map { "\($0)" } ?? "nil") "
                        + "\(content.under(permission).map { "\($0)" } ?? "nil")"
                )
            }
            #expect(scan.under(.nothing) == nil && content.under(.everything) == content)
        }
        for pace in [ScanPace.foreground, .background] { RunRecord.note("\(pace.request)") }
        for latency in [CBPeripheralManagerConnectionLatency.low, .medium, .high] {
            RunRecord.note("\(latency) \(latency.connectionParameters)")
        }
    }
}
