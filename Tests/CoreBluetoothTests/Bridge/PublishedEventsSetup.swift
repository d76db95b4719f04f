// A peripheral manager with a published service, to which a test hands events of centrals that are on no air, and whose
// commands it takes before the session gets them.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A ball whose events come from a test.
struct PublishedEventsSetup {
    let talk: Conversation
    /// The handle of the answer's value, and that of the question's.
    let answer: AttributeHandle
    let question: AttributeHandle
    let first = LinkID(rawValue: 901)
    let second = LinkID(rawValue: 902)
    let unknown = LinkID(rawValue: 903)

    init() throws {
        let talk = Conversation()
        talk.testbed.run()
        self.answer = try #require(talk.ball.answer.publishedHandle)
        self.question = try #require(talk.ball.question.publishedHandle)
        talk.ball.calls = []
        talk.ball.onRequests = { _ in }
        self.talk = talk
    }

    var ball: PeripheralApp { self.talk.ball }
    var manager: CBPeripheralManager { self.talk.ball.manager }

    /// Hands over events, and returns what the manager asks its session for.
    @discardableResult
    func receive(_ events: PeripheralEvent...) -> [String] {
        var events = events
        self.manager.receive(&events)
        return self.commands()
    }

    /// The commands of the manager, which its session does not get.
    @discardableResult
    func commands() -> [String] {
        var commands: [PeripheralCommand] = []
        self.manager.commands.drain { commands += $0 }
        return commands.map { Self.text($0) }
    }

    private static func text(_ command: PeripheralCommand) -> String {
        switch command {
        case .update(_, let value, .one(let link)): "\(link.rawValue): \(value.readableBytes)"
        case .update(_, let value, .many(let links)): "\(links.map(\.rawValue)): \(value.readableBytes)"
        case .answerRead(let id, .success(let value)): "read \(id.rawValue) \(Data(octetsOf: value).text)"
        case .answerRead(let id, .failure(let error)): "read \(id.rawValue) error \(error.rawValue)"
        case .answerWrite(let id, let error): "write \(id.rawValue) error \(error?.rawValue ?? 0)"
        case .resumeReceiving(let link): "resume \(link.rawValue)"
        case .setLatency(let latency, let link): "latency \(latency.rawValue) \(link.rawValue)"
        case .publishChannel(let level): "publish \(level.rawValue)"
        case .unpublishChannel(let psm): "unpublish \(psm)"
        case .add(let service): "add \(service.token.number)"
        case .refuse(let token, let error): "refuse \(token.number) \(error.code.rawValue)"
        case .remove(let token): "remove \(token.number)"
        case .removeAll: "remove all"
        case .startAdvertising(let content): "advertise \(content.localName ?? "-") \(content.services.count)"
        case .stopAdvertising: "stop advertising"
        case .stopSeen: "stop seen"
        default: "other"
        }
    }

    /// A central comes, with a window of its own.
    @discardableResult
    func connect(_ link: LinkID, mtu: Int = 100, _ window: TransmitWindow = TransmitWindow()) throws -> CBCentral {
        let peer = PeerDescription(
            identifier: UUID(random: UInt64(link.rawValue), 1),
            address: DeviceAddress(UInt64(link.rawValue), kind: .public)
        )
        self.receive(.central(link, peer, mtu: mtu, window))
        return try #require(self.manager.centrals[link])
    }

    /// A central subscribes to the answer, or unsubscribes.
    func subscribe(_ link: LinkID, _ isSubscribed: Bool = true) {
        self.receive(.subscribed(link, self.answer, isSubscribed, ReceiveWindow()))
    }

    /// Updates the answer, and returns what the session is asked for.
    func update(_ count: Int = 3, to centrals: [CBCentral]? = nil) -> [String] {
        let isDone = self.manager.updateValue(
            Data(count: count),
            for: self.ball.answer,
            onSubscribedCentrals: centrals
        )
        return (isDone ? [] : ["refused"]) + self.commands()
    }
}
