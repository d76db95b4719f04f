// The controller's resolving list: which commands it gets, in which order, and the effects of refusals.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Resolving list")
struct ResolvingListTests {
    private static func entry(_ number: UInt64, mode: PrivacyMode = .device) -> ResolvingList.Entry {
        ResolvingList.Entry(
            peer: DeviceAddress(0xC000_0000_0000 | number, kind: .random),
            peerKey: Octets16(high: 1, low: number),
            localKey: Octets16(high: 2, low: 2),
            mode: mode
        )
    }

    private let first = Self.entry(1)
    private let second = Self.entry(2)
    private let third = Self.entry(3)
    private let timeout = ResolvablePrivateAddressTimeout(rawValue: 900)

    /// A list of a controller with this capacity.
    private func list(capacity: Int = 8, knowsPrivacyMode: Bool = true) -> ResolvingList {
        var list = ResolvingList()
        list.capacity = capacity
        list.knowsPrivacyMode = knowsPrivacyMode
        return list
    }

    /// Runs the list until nothing is due; `answer` gives the status of a step.
    private func steps(
        _ list: inout ResolvingList,
        answer: (ResolvingList.Step) -> HCIErrorCode = { _ in .success }
    ) -> [ResolvingList.Step] {
        var steps: [ResolvingList.Step] = []
        while steps.count < 40, let step = list.next() {
            #expect(list.isDue)
            #expect(list.next() == nil, "one command at a time")
            steps.append(step)
            list.completed(answer(step))
        }
        #expect(!list.isDue)
        return steps
    }

    @Test("sends nothing if nothing is wanted")
    func nothing() {
        var list = self.list()
        list.want([], timeout: self.timeout)
        #expect(!list.isDue && !list.isResolving)
        #expect(list.next() == nil)
    }

    @Test("clears the list, sets the time of addresses, adds the peers with their modes, then enables it")
    func fill() {
        var list = self.list()
        list.want([self.first, Self.entry(2, mode: .network)], timeout: self.timeout)
        #expect(!list.resolves(self.first.peer))
        #expect(
            self.steps(&list) == [
                .clear, .setTimeout(self.timeout), .add(self.first), .setMode(self.first.peer, .device),
                .add(Self.entry(2, mode: .network)), .enable(true),
            ]
        )
        #expect(list.isResolving && list.resolves(self.first.peer) && list.resolves(self.second.peer))
        #expect(!list.resolves(self.third.peer))
    }

    @Test("makes changes one by one, and disables a list without entries")
    func change() {
        var list = self.list()
        list.want([self.first, self.second], timeout: nil)
        _ = self.steps(&list)
        list.want([self.second, self.third], timeout: nil)
        #expect(
            self.steps(&list) == [.remove(self.first.peer), .add(self.third), .setMode(self.third.peer, .device)]
        )
        var changed = self.second
        changed.peerKey = Octets16(high: 7, low: 7)
        list.want([changed, Self.entry(3, mode: .network)], timeout: nil)
        #expect(
            self.steps(&list) == [
                .remove(changed.peer), .add(changed), .setMode(changed.peer, .device),
                .setMode(self.third.peer, .network),
            ]
        )
        list.want([], timeout: nil)
        #expect(self.steps(&list) == [.remove(self.third.peer), .remove(changed.peer), .enable(false)])
        #expect(!list.isResolving)
    }

    @Test("keeps the entries of a full list")
    func full() {
        var list = self.list()
        list.want([self.first, self.second, self.third], timeout: nil)
        let steps = self.steps(&list) { $0 == .add(self.second) ? .memoryCapacityExceeded : .success }
        #expect(steps.last == .enable(true))
        #expect(list.resolves(self.first.peer) && !list.resolves(self.second.peer))
        var small = self.list(capacity: 2)
        small.want([self.first, self.second, self.third], timeout: nil)
        #expect(!self.steps(&small).contains(.add(self.third)))
        #expect(!small.resolves(self.third.peer))
    }

    @Test("sends nothing to a controller without a list")
    func none() {
        var list = self.list(capacity: 0)
        list.want([self.first], timeout: self.timeout)
        #expect(self.steps(&list) == [])
    }

    @Test("does without privacy modes if the controller does not know or refuses them")
    func withoutModes() {
        var list = self.list(knowsPrivacyMode: false)
        list.want([self.first], timeout: nil)
        #expect(self.steps(&list) == [.clear, .add(self.first), .enable(true)])
        var other = self.list()
        other.want([self.first, self.second], timeout: nil)
        let steps = self.steps(&other) { if case .setMode = $0 { .unknownCommand } else { .success } }
        #expect(
            steps == [
                .clear, .add(self.first), .setMode(self.first.peer, .device), .add(self.second), .enable(true),
            ]
        )
    }

    @Test("tries a refused change three times from the beginning, and an unknown command once")
    func refused() {
        var list = self.list()
        list.want([self.first], timeout: nil)
        let steps = self.steps(&list) { if case .add = $0 { .commandDisallowed } else { .success } }
        #expect(steps == [.clear, .add(self.first), .clear, .add(self.first), .clear, .add(self.first)])
        #expect(!list.isResolving && !list.resolves(self.first.peer))
        var other = self.list()
        other.want([self.first], timeout: nil)
        #expect(self.steps(&other, answer: { _ in .unknownCommand }) == [.clear])
        other.want([self.first, self.second], timeout: nil)
        #expect(!other.isDue)
    }

    @Test("takes an entry for removed that the controller does not have")
    func missing() {
        var list = self.list()
        list.want([self.first], timeout: nil)
        _ = self.steps(&list)
        list.want([], timeout: nil)
        let steps = self.steps(&list) { if case .remove = $0 { .unknownConnectionIdentifier } else { .success } }
        #expect(steps == [.remove(self.first.peer), .enable(false)])
    }

    @Test("renews addresses by new entries, if the device hides")
    func renewal() {
        var list = self.list()
        list.want([self.first], timeout: nil)
        _ = self.steps(&list)
        list.renewAddresses()
        #expect(self.steps(&list) == [.clear, .add(self.first), .setMode(self.first.peer, .device)])
        var entry = self.first
        entry.localKey = .zero
        list.want([entry], timeout: nil)
        _ = self.steps(&list)
        list.renewAddresses()
        #expect(!list.isDue)
    }

    @Test("renews as soon as it is asked for if the list has an entry")
    func due() {
        var list = self.list()
        list.want([self.first, self.second], timeout: nil)
        #expect(list.isDue)
        list.renewAddresses()
        #expect(list.next() == .clear)
        list.completed(.success)
        list.renewAddresses()
        #expect(list.next() == .add(self.first), "a list without entries has no addresses")
        list.completed(.success)
        while list.next() != nil { list.completed(.success) }
        #expect(!list.isDue && list.isResolving)
        list.renewAddresses()
        #expect(list.isDue && list.isResolving)
        #expect(!list.resolves(self.first.peer), "what the list has is unknown from now on")
    }

    @Test("begins a renewal with the answer to the command that is on its way")
    func whilePerforming() {
        var list = self.list()
        list.want([self.first, self.second], timeout: nil)
        #expect(list.next() == .clear)
        list.completed(.success)
        #expect(list.next() == .add(self.first))
        list.completed(.success)
        #expect(list.next() == .setMode(self.first.peer, .device))
        list.renewAddresses()
        #expect(list.isDue)
        #expect(list.next() == nil)
        list.completed(.success)
        #expect(list.next() == .clear)
        list.completed(.success)
        #expect(list.next() == .add(self.first))
        list.completed(.success)
        #expect(list.next() == .setMode(self.first.peer, .device))
        list.completed(.success)
        #expect(list.next() == .add(self.second))
    }

    @Test("clears and disables a list in renewal if no entry is wanted")
    func emptied() {
        var list = self.list()
        list.want([self.first], timeout: nil)
        _ = self.steps(&list)
        #expect(list.isResolving && !list.isDue)
        list.renewAddresses()
        list.want([], timeout: nil)
        #expect(list.isDue)
        #expect(self.steps(&list) == [.clear, .enable(false)])
        #expect(!list.isResolving && !list.isDue)
    }

    @Test("does not repeat a refused time of addresses")
    func timeoutRefused() {
        var list = self.list()
        list.want([self.first], timeout: self.timeout)
        let steps = self.steps(&list) { $0 == .setTimeout(self.timeout) ? .invalidParameters : .success }
        #expect(steps.last == .enable(true))
        #expect(steps.count(where: { $0 == .setTimeout(self.timeout) }) == 1)
    }
}
