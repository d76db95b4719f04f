// The answers and faults of a scripted peripheral.

public import CoreBluetooth

extension ScriptedPeripheral {
    /// The answer to a request.
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

        /// Accepts a write or a subscription, or returns the present value.
        public static var success: Answer { Answer(content: .success) }
        /// Returns this value, or accepts a write or a subscription.
        public static func value(_ value: Data) -> Answer { Answer(content: .value(value)) }
        /// Rejects the request.
        public static func error(_ code: CBATTError.Code) -> Answer { Answer(content: .error(code)) }
        /// Never answers: the central times out after 30 s.
        public static var noResponse: Answer { Answer(content: .noResponse) }

        /// Answers later: `ask` gets a closure and calls it once with the answer.
        ///
        /// ```swift
        /// .init("FFF1", properties: .read, onRead: { _ in
        ///     .later { reply in world.after(.seconds(2)) { reply(.value(Data([1]))) } }
        /// })
        /// ```
        public static func later(_ ask: @escaping (@escaping (Answer) -> Void) -> Void) -> Answer {
            Answer(content: .later(ask))
        }

        /// The same answer after a delay.
        public func delayed(by delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }
    }

    /// An event on a link.
    public enum Step: Equatable {
        /// A central has connected.
        case onConnection
        /// A duration has passed since a central connected.
        case after(Duration)
        /// A characteristic is read; the request is no longer answered.
        case onRead(of: CBUUID)
        /// A characteristic is written; the request is no longer answered.
        case onWrite(to: CBUUID)
        /// A characteristic is subscribed to.
        case onSubscription(to: CBUUID)
        /// A number of notifications or indications were sent on the link.
        case afterNotification(Int)
    }

    /// A fault that occurs once, at a step.
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
        /// The link is lost: the central immediately gets `CBError.Code.connectionTimeout`.
        public static func loseLink(_ step: Step) -> Fault { Fault(kind: .loseLink, step: step) }
        /// From now on no ATT request is answered, as with ``Radio/isUnresponsive``.
        public static func stopResponding(_ step: Step) -> Fault { Fault(kind: .stopResponding, step: step) }
        /// The peripheral's battery is empty: the central notices when the supervision timeout has passed.
        public static func powerOff(_ step: Step) -> Fault { Fault(kind: .powerOff, step: step) }
    }
}
