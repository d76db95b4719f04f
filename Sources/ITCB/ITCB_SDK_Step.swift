// The steps of a conversation, for programs that show how Core Bluetooth works. Not part of the SDK's interface for
// apps: a program that needs them imports them by `@_spi(Steps) import ITCB`.

public import CoreBluetooth

/// An action of the SDK, or an event that Core Bluetooth reported to it.
@_spi(Steps)
public enum ITCB_SDK_Step: Equatable, Sendable {
    /// The state of the manager changed.
    case stateChanged(CBManagerState)

    // Central: finding a ball.

    /// The SDK has started a scan for balls.
    case scanning
    /// A ball was discovered; it is offered if its signal strength (in dBm) is in range and it has a name.
    case discovered(name: String?, rssi: Int, isOffered: Bool)
    /// The SDK has called `connect`.
    case connecting(name: String)
    /// The ball is connected.
    case connected(name: String)
    /// The connection failed.
    case connectionFailed(name: String)
    /// The SDK has requested the services.
    case discoveringServices
    /// The services were discovered.
    case discoveredServices(count: Int)
    /// The SDK has requested the characteristics.
    case discoveringCharacteristics
    /// The characteristics were discovered.
    case discoveredCharacteristics(count: Int)
    /// The ball can be asked.
    case ready(name: String)
    /// The link was lost.
    case lost(name: String)
    /// A ball's signal strength was measured, in dBm.
    case signalRead(uuid: String, rssi: Int)

    // Central: question and answer.

    /// The app asked a question.
    case sendingQuestion(String)
    /// The SDK has called `setNotifyValue` for the answer.
    case settingNotifications(isOn: Bool)
    /// The ball confirmed the subscription, or its end.
    case setNotifications(isOn: Bool)
    /// The SDK has written the question.
    case writingQuestion(String)
    /// The ball confirmed the question.
    case questionConfirmed(String)
    /// The ball refused the question.
    case questionRefused(String)
    /// The answer arrived in a notification.
    case answerReceived(String)

    // Ball.

    /// The service is published.
    case serviceAdded
    /// The ball advertises.
    case advertising(name: String)
    /// A central subscribed to the answer.
    case subscribed(central: String)
    /// A central unsubscribed, or its link ended.
    case unsubscribed(central: String)
    /// A central wrote a question; the ball confirmed it unless there is a reason to refuse it.
    case questionReceived(String, refusal: ITCB_SDK_Refusal?)
    /// The transmit queue is full; the answer waits.
    case answerWaiting(String)
    /// The answer is on its way.
    case answerSent(String)
}

/// Why a ball refuses a question.
@_spi(Steps)
public enum ITCB_SDK_Refusal: Error, Equatable, Sendable {
    /// It does not end with a question mark.
    case noQuestion
    /// The ball is busy: an earlier answer to this central waits, too many answers wait, or a person has a question
    /// open.
    case busy
    /// The write cannot be decoded.
    case unreadable(CBATTError.Code)

    /// The ATT error of the response.
    internal var code: CBATTError.Code {
        switch self {
        case .noQuestion: return .unlikelyError
        case .busy: return .insufficientResources
        case .unreadable(let code): return code
        }
    }

    /// The refusal for the error of a response.
    internal init(_ code: CBATTError.Code) {
        switch code {
        case .unlikelyError: self = .noQuestion
        case .insufficientResources: self = .busy
        default: self = .unreadable(code)
        }
    }
}

@_spi(Steps)
extension ITCB_SDK {
    /// The signal strengths, in dBm, of balls that are offered.
    public static var offeredSignals: ClosedRange<Int> { -60 ... -20 }

    /// The longest question, in octets of UTF-8.
    public static var maximumQuestionLength: Int { _static_ITCB_SDK_MaximumValueLength }

    /// The key of an answer, 0 to 19.
    public static func answerKey(_ number: Int) -> String { "SLUG-ANSWER-" + (number < 10 ? "0" : "") + String(number) }

    /// Whether a ball accepts a text as a question: it ends with a question mark.
    public static func isQuestion(_ text: String) -> Bool { "?" == text.last }
}
