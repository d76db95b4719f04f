// The steps of a conversation, for programs that show how Core Bluetooth works. Not part of the SDK's interface for
// apps: a program that wants them says `@_spi(Steps) import ITCB`.

public import CoreBluetooth

/// Something that the SDK did, or that Core Bluetooth reported to it, at that moment.
@_spi(Steps)
public enum ITCB_SDK_Step: Equatable, Sendable {
    /// The state of the manager changed.
    case stateChanged(CBManagerState)

    // Central: finding a ball.

    /// The SDK has started a scan for balls.
    case scanning
    /// A ball was found; it is offered where its signal (in dBm) is inside the window and it has a name.
    case discovered(name: String?, rssi: Int, isOffered: Bool)
    /// The SDK has called `connect`.
    case connecting(name: String)
    /// The link is there.
    case connected(name: String)
    /// There will be no link.
    case connectionFailed(name: String)
    /// The SDK asked for the services.
    case discoveringServices
    /// The services are known.
    case discoveredServices(count: Int)
    /// The SDK asked for the characteristics.
    case discoveringCharacteristics
    /// The characteristics are known.
    case discoveredCharacteristics(count: Int)
    /// The ball can be asked.
    case ready(name: String)
    /// The link was lost.
    case lost(name: String)
    /// The strength of a ball's signal was measured, in dBm.
    case signalRead(uuid: String, rssi: Int)

    // Central: question and answer.

    /// The app gave a question.
    case sendingQuestion(String)
    /// The SDK has called `setNotifyValue` for the answer.
    case settingNotifications(isOn: Bool)
    /// The ball confirmed that they are.
    case setNotifications(isOn: Bool)
    /// The SDK wrote the question.
    case writingQuestion(String)
    /// The ball confirmed that it has the question.
    case questionConfirmed(String)
    /// The ball refused the question.
    case questionRefused(String)
    /// The ball's notification brought the answer.
    case answerReceived(String)

    // Ball.

    /// The service is in the database.
    case serviceAdded
    /// The ball can be heard.
    case advertising(name: String)
    /// A central switched the notifications of the answer on.
    case subscribed(central: String)
    /// A central switched them off, or its link ended.
    case unsubscribed(central: String)
    /// A central wrote a question; the ball confirmed it unless it had a reason to refuse it.
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
    /// The ball is busy: an earlier answer to this central waits, too many answers wait, or a person has a question.
    case busy
    /// The write is not a text for the ball.
    case unreadable(CBATTError.Code)

    /// The error of the response.
    internal var code: CBATTError.Code {
        switch self {
        case .noQuestion: return .unlikelyError
        case .busy: return .insufficientResources
        case .unreadable(let code): return code
        }
    }

    /// The refusal that a response stands for.
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

    /// Whether a ball takes a text for a question: it ends with a question mark.
    public static func isQuestion(_ text: String) -> Bool { "?" == text.last }
}
