// How a scripted peripheral answers, and where it fails.

public import CoreBluetooth

extension ScriptedPeripheral {
    /// How a request is answered.
    public struct Answer {
        enum Content {
            case success
            case value(Data)
            case error(CBATTError.Code)
            case noResponse
            case later((@escaping (Answer) -> Void) -> Void)
        }

        var content: Content
        var delay: Duration = .zero

        /// A write is taken; a read gives the present value.
        public static var success: Answer { Answer(content: .success) }
        /// A read gives this value; a write is taken.
        public static func value(_ value: Data) -> Answer { Answer(content: .value(value)) }
        /// The request fails.
        public static func error(_ code: CBATTError.Code) -> Answer { Answer(content: .error(code)) }
        /// The request is never answered: the central times out after 30 s.
        public static var noResponse: Answer { Answer(content: .noResponse) }

        /// The answer comes from an app behind the peripheral: `ask` gets a closure that it calls with the answer,
        /// once, whenever that is there.
        ///
        /// ```swift
        /// .init("FFF1", properties: .read, onRead: { _ in
        ///     .later { reply in world.after(.seconds(2)) { reply(.value(Data([1]))) } }
        /// })
        /// ```
        public static func later(_ ask: @escaping (@escaping (Answer) -> Void) -> Void) -> Answer {
            Answer(content: .later(ask))
        }

        /// The same answer, later.
        public func delayed(by delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }
    }

    /// A moment in the life of a link.
    public enum Step: Equatable {
        /// The link is there.
        case onConnection
        /// So long after the link was there.
        case after(Duration)
        /// A characteristic is read; the request is not answered any more.
        case onRead(of: CBUUID)
        /// A characteristic is written; the request is not answered any more.
        case onWrite(to: CBUUID)
        /// A characteristic is subscribed to.
        case onSubscription(to: CBUUID)
        /// So many notifications or indications were sent on the link.
        case afterNotification(Int)
    }

    /// Something that goes wrong at a step, once.
    public struct Fault {
        enum Kind {
            case disconnect
            case loseLink
            case stopResponding
            case powerOff
        }

        var kind: Kind
        var step: Step

        /// The peripheral ends the link: the central gets `CBError.Code.peripheralDisconnected`.
        public static func disconnect(_ step: Step) -> Fault { Fault(kind: .disconnect, step: step) }
        /// The link is lost: the central gets `CBError.Code.connectionTimeout`, at once.
        public static func loseLink(_ step: Step) -> Fault { Fault(kind: .loseLink, step: step) }
        /// From now on no ATT request is answered, as with ``Radio/isUnresponsive``.
        public static func stopResponding(_ step: Step) -> Fault { Fault(kind: .stopResponding, step: step) }
        /// The peripheral's battery is empty: the central notices when the supervision timeout has passed.
        public static func powerOff(_ step: Step) -> Fault { Fault(kind: .powerOff, step: step) }
    }
}
