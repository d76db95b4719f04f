import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("A lock and a key without a link")
struct ElectronicLockTests {
    private let testbed = Testbed()

    private final class EventLog<Event> {
        var events: [Event] = []
    }

    /// A key that has not started, its events and its observer.
    private func key(
        restoreIdentifier: String? = nil
    ) throws -> (key: ElectronicKey, log: EventLog<ElectronicKey.Event>, ear: any MessageObserver) {
        let key = ElectronicKey(secret: "sesame", restoreIdentifier: restoreIdentifier)
        let log = EventLog<ElectronicKey.Event>()
        key.onEvent = { log.events.append($0) }
        return (key, log, try #require(key.manager.blueEar as? any MessageObserver))
    }

    /// A lock without a link, its events and its observer.
    private func lock() throws -> (lock: ElectronicLock, log: EventLog<ElectronicLock.Event>, ear: any MessageObserver)
    {
        let lock = self.testbed.adapter().run { ElectronicLock(secret: "sesame", name: "Door") }
        lock.generator = SeededNumbers(1)
        let log = EventLog<ElectronicLock.Event>()
        lock.onEvent = { log.events.append($0) }
        return (lock, log, try #require(lock.manager.bluetoothMessaging as? any MessageObserver))
    }

    /// The challenges of the lock, in order.
    private func challenges() -> [Data] {
        var generator = SeededNumbers(1)
        return (0..<4).map { _ in ChallengeResponse.makeChallenge(using: &generator) }
    }

    private func response(to challenge: Data, secret: String = "sesame") -> [String: String] {
        let response = ChallengeResponse.response(to: challenge, secret: secret)
        return [ChallengeResponse.response: ChallengeResponse.text(response)]
    }

    @Test("answers a challenge of 16 octets and no other")
    func challenged() throws {
        for count in [0, 15, 16, 17, 64] {
            let (key, log, ear) = try self.key()
            let challenge = Data(repeating: 7, count: count)
            let message = [
                ChallengeResponse.challenge: ChallengeResponse.text(challenge),
                ChallengeResponse.state: ChallengeResponse.open, ChallengeResponse.error: "no",
            ]
            ear.didReceive(message, from: UUID())
            let answers = key.manager.waiting.map(\.message)
            #expect(answers == (count == 16 ? [self.response(to: challenge)] : []), "\(count)")
            #expect(log.events.isEmpty && !key.hasOpened)
        }
    }

    @Test("reports refusals, and the opened lock once for each link")
    func opened() throws {
        let (key, log, ear) = try self.key()
        let open = [ChallengeResponse.state: ChallengeResponse.open]
        let closed = [ChallengeResponse.state: ChallengeResponse.closed]
        for message in [closed, [:], ["Lock": "ajar"], ["Challenge": "none"], ["Response": "00"]] {
            ear.didReceive(message, from: UUID())
        }
        #expect(log.events.isEmpty && !key.hasOpened && key.manager.waiting.isEmpty)
        for _ in 0..<2 { ear.didReceive(open, from: UUID()) }
        #expect(log.events == [.opened] && key.hasOpened)
        ear.didReceive(closed.merging([ChallengeResponse.error: "why not"]) { $1 }, from: UUID())
        ear.didReceive(open.merging([ChallengeResponse.error: "no"]) { $1 }, from: UUID())
        #expect(log.events == [.opened, .refused(reason: "why not"), .refused(reason: "no")])
        for isOpen in [false, true] {
            log.events = []
            key.manager.blueEar?.didDisconnectPeripheral(name: "Door")
            #expect(log.events == [.away] && !key.hasOpened)
            if isOpen { ear.didReceive(open, from: UUID()) }
            #expect(log.events == (isOpen ? [.away, .opened] : [.away]) && key.hasOpened == isOpen)
        }
    }

    @Test("reports a response for which there is no room")
    func busy() throws {
        let (key, log, ear) = try self.key()
        let message = [ChallengeResponse.challenge: ChallengeResponse.text(Data(repeating: 7, count: 16))]
        for _ in 0..<BlueEarService.maximumWaitingMessages { ear.didReceive(message, from: UUID()) }
        #expect(log.events.isEmpty)
        ear.didReceive(message, from: UUID())
        #expect(log.events == [.failed(.busy)] && key.manager.waiting.count == BlueEarService.maximumWaitingMessages)
    }

    @Test("accepts one response to each challenge, and closes when the last link is gone")
    func judged() throws {
        let (lock, log, ear) = try self.lock()
        let challenges = self.challenges()
        let (first, second, third) = (UUID(), UUID(), UUID())
        // There is no link to send on.
        let unsent = ElectronicLock.Event.failed(.nobodyThere)
        func expect(_ events: [ElectronicLock.Event], isOpen: Bool, _ what: Comment) {
            #expect(log.events == events, what)
            #expect(lock.isOpen == isOpen, what)
            log.events = []
        }
        ear.didReceive(self.response(to: challenges[0]), from: first)
        expect([unsent, .refused(first)], isOpen: false, "without a challenge")
        ear.didBegin(with: first)
        expect([unsent, .challenged(first)], isOpen: false, "challenged")
        ear.didReceive(self.response(to: challenges[0]), from: second)
        expect([unsent, .refused(second)], isOpen: false, "from another")
        ear.didReceive(self.response(to: challenges[0]), from: first)
        expect([unsent, .opened(by: first)], isOpen: true, "the right response")
        ear.didReceive(self.response(to: challenges[0]), from: first)
        expect([unsent, .refused(first)], isOpen: true, "a second time")
        ear.didBegin(with: second)
        expect([unsent, .challenged(second)], isOpen: true, "a second key")
        ear.didReceive(self.response(to: challenges[0]), from: second)
        expect([unsent, .refused(second)], isOpen: true, "the response to another challenge")
        ear.didReceive(self.response(to: challenges[1]), from: second)
        expect([unsent, .refused(second)], isOpen: true, "the right one after a wrong one")
        ear.didBegin(with: second)
        ear.didReceive(self.response(to: challenges[2]), from: second)
        expect([unsent, .challenged(second), unsent, .opened(by: second)], isOpen: true, "two have opened")
        ear.didEnd(with: third)
        expect([], isOpen: true, "one ends who never was")
        ear.didEnd(with: first)
        expect([], isOpen: true, "one of two ends")
        ear.didEnd(with: second)
        expect([.closed], isOpen: false, "the last one ends")
        ear.didEnd(with: second)
        expect([], isOpen: false, "it ends again")
    }

    @Test("refuses a wrong response, and every further one on its link")
    func attempts() throws {
        let challenges = self.challenges()
        let right = self.response(to: challenges[0])
        let text = try #require(right[ChallengeResponse.response])
        let wrong: [[String: String]] = [
            [:], [ChallengeResponse.response: ""], [ChallengeResponse.response: String(text.dropLast(2))],
            [ChallengeResponse.response: text + "00"], [ChallengeResponse.response: "g" + String(text.dropFirst())],
            [ChallengeResponse.challenge: text], self.response(to: challenges[0], secret: "please"),
            self.response(to: challenges[1]),
        ]
        for message in wrong {
            let (lock, log, ear) = try self.lock()
            let peer = UUID()
            ear.didBegin(with: peer)
            ear.didReceive(message, from: peer)
            #expect(log.events.last == .refused(peer) && !lock.isOpen, "\(message)")
            ear.didReceive(right, from: peer)
            #expect(log.events.last == .refused(peer) && !lock.isOpen, "\(message)")
        }
        // A challenge ends with its link.
        let (lock, log, ear) = try self.lock()
        let peer = UUID()
        ear.didBegin(with: peer)
        ear.didEnd(with: peer)
        ear.didReceive(right, from: peer)
        #expect(log.events.last == .refused(peer) && !lock.isOpen)
    }
}
