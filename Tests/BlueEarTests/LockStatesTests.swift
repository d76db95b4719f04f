// A lock and a key without a link: what each makes of every message and report that may come, in every order, and what
// it sets of its messenger. What they say to each other over the air is in the tests of both.

import CoreBluetooth
import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("The states of a lock and its key")
struct LockStatesTests {
    private let testbed = Testbed()

    private final class EventLog<Event> {
        var events: [Event] = []
    }

    /// A key that has not begun, its events, and what hears for it.
    private func key(
        restoreIdentifier: String? = nil
    ) throws -> (key: ElectronicKey, log: EventLog<ElectronicKey.Event>, ear: any MessageObserver) {
        let key = ElectronicKey(secret: "sesame", restoreIdentifier: restoreIdentifier)
        let log = EventLog<ElectronicKey.Event>()
        key.onEvent = { event in
            note(event)
            log.events.append(event)
        }
        return (key, log, try #require(key.manager.blueEar as? any MessageObserver))
    }

    /// A lock that nobody is linked to, its events, and what hears for it.
    private func lock() throws -> (lock: ElectronicLock, log: EventLog<ElectronicLock.Event>, ear: any MessageObserver)
    {
        let lock = self.testbed.adapter().run { ElectronicLock(secret: "sesame", name: "Door") }
        lock.generator = SeededNumbers(1)
        let log = EventLog<ElectronicLock.Event>()
        lock.onEvent = { event in
            note(event)
            log.events.append(event)
        }
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

    // MARK: The key

    @Test("A key stays, says nothing by itself, and forgets what was not delivered")
    func keySettings() throws {
        let key = try self.key().key
        #expect(key.manager.stays && !key.manager.keepsWaiting && key.manager.message == nil)
        #expect(key.manager.restoreIdentifier == nil && !key.hasOpened && !key.manager.reads)
        #expect(try self.key(restoreIdentifier: "home").key.manager.restoreIdentifier == "home")
    }

    @Test("A challenge of sixteen octets is answered, whatever else is said; any other is of no concern")
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

    @Test("A refusal is reported with its reason, that the lock is open once, and once more after a link was lost")
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

    @Test("A response for which there is no room is an error")
    func busy() throws {
        let (key, log, ear) = try self.key()
        let message = [ChallengeResponse.challenge: ChallengeResponse.text(Data(repeating: 7, count: 16))]
        for _ in 0..<BlueEarService.maximumWaitingMessages { ear.didReceive(message, from: UUID()) }
        #expect(log.events.isEmpty)
        ear.didReceive(message, from: UUID())
        #expect(log.events == [.failed(.busy)] && key.manager.waiting.count == BlueEarService.maximumWaitingMessages)
    }

    @Test("What the messenger reports to the key is an event, or nothing")
    func keyEvents() throws {
        let (key, log, ear) = try self.key()
        let peers = [UUID(), UUID()]
        key.manager.blueEar?.didStartConfiguration()
        key.manager.blueEar?.didStartScanningPeripherals()
        key.manager.blueEar?.didConnectPeripheral(name: "Door")
        key.manager.blueEar?.didConnectPeripheral(name: nil)
        key.manager.blueEar?.didSendData()
        key.manager.blueEar?.didReceiveData()
        key.manager.blueEar?.didFailConnection()
        ear.didFail(.lostKeys, with: peers[0])
        ear.didUpdateState(.poweredOff)
        ear.didRestoreState(peers: peers)
        ear.didSend([:], to: peers[0])
        ear.didBegin(with: peers[0])
        ear.didEnd(with: peers[0])
        ear.didFinish()
        #expect(
            log.events == [
                .searching, .connected(name: "Door"), .connected(name: ""), .failed(.lostKeys),
                .stateChanged(.poweredOff), .restored(peers),
            ]
        )
        #expect(!key.hasOpened)
    }

    // MARK: The lock

    @Test("A lock has the name that it is given, and says nothing to who is not challenged")
    func lockSettings() throws {
        let lock = try self.lock().lock
        #expect(lock.manager.localName == "Door" && lock.manager.message == nil && !lock.isOpen)
        let other = self.testbed.adapter().run { ElectronicLock(secret: "sesame") }
        #expect(other.manager.localName == "Lock" && other.manager.message == nil)
    }

    @Test("Each challenge may be answered once; a lock is open from the right response until the last link is gone")
    func judged() throws {
        let (lock, log, ear) = try self.lock()
        let challenges = self.challenges()
        let (first, second, third) = (UUID(), UUID(), UUID())
        /// What is said to who does not listen cannot be sent.
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

    @Test("Whatever is no right response is refused, and is the one attempt of its link")
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

    @Test("What the messenger reports to the lock is an event, or nothing")
    func lockEvents() throws {
        let (lock, log, ear) = try self.lock()
        lock.manager.bluetoothMessaging?.didStartConfiguration()
        lock.manager.bluetoothMessaging?.didStartAdvertising()
        lock.manager.bluetoothMessaging?.didSendData()
        lock.manager.bluetoothMessaging?.didReceiveData()
        ear.didFail(.malformed, with: nil)
        ear.didUpdateState(.unauthorized)
        ear.didRestoreState(peers: [UUID()])
        ear.didSend([:], to: UUID())
        ear.didFinish()
        #expect(log.events == [.ready, .failed(.malformed), .stateChanged(.unauthorized), .restored])
        #expect(!lock.isOpen)
    }

    // MARK: Errors

    @Test("What the messenger's errors say, and what errors of Core Bluetooth are to it")
    func errors() {
        let texts: [(error: BlueEarError, text: String)] = [
            (.malformed, "what came is no binary property list of strings"),
            (.incomplete, "a message came in pieces, and not all of them"),
            (.tooLong(7), "a message of 7 octets is too long; 1048576 is the most"),
            (.busy, "too many messages are waiting; send again when some are delivered"),
            (.nobodyThere, "nobody is connected"), (.notAnEar, "it does not have the messenger's characteristic"),
            (.unanswered, "it did not answer in time"),
            (.lostKeys, "one of the devices has lost the keys of their pairing"),
            (.refused(.invalidPdu), "it refused the message (ATT error 4)"), (.bluetooth("as is"), "as is"),
        ]
        for (error, text) in texts {
            #expect(error.description == text)
            #expect(BlueEarError(error) == error)
        }
        #expect(BlueEarError(CBATTError(.unlikelyError)) == .refused(.unlikelyError))
        let broken = CBError(.connectionTimeout)
        #expect(BlueEarError(broken) == .bluetooth(broken.localizedDescription))
    }
}
