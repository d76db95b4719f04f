// The steps of a conversation, for programs that show how Core Bluetooth works. Not part of the SDK's interface for
// apps: a program that wants them says `@_spi(Steps) import ITCB`.

/// Something that the SDK did, or that Core Bluetooth reported to it, at that moment.
@_spi(Steps)
public enum ITCB_SDK_Step: Equatable, Sendable {
    /// The state of the manager changed; true where the adapter can be used.
    case stateChanged(isPoweredOn: Bool, state: String)

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
    /// A central wrote a question; the ball confirmed it where it is accepted.
    case questionReceived(String, isAccepted: Bool)
    /// The transmit queue is full; the answer waits.
    case answerWaiting(String)
    /// The answer is on its way.
    case answerSent(String)
}
