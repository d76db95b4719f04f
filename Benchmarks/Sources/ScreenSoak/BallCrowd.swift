// Magic 8-Balls that come and go: each is a device of its own on the air, for some hundred milliseconds to a few
// seconds. A seed determines when they do, and which keys a person presses meanwhile.

import BluetoothTypes
import CoreBluetooth
import Foundation
import ITCB

/// Balls that come and go, on the main thread.
final class BallCrowd {
    /// One ball.
    private final class Ball: ITCB_Observer_Peripheral_Protocol {
        var uuid = UUID()
        let name: String
        var sdk: (any ITCB_SDK_Protocol)?
        let onAnswer: () -> Void

        init(_ name: String, _ onAnswer: @escaping () -> Void) {
            self.name = name
            self.onAnswer = onAnswer
        }

        func come() {
            guard let adapter = try? BluetoothAdapter("air", configuration: .init(deviceName: name, identity: name))
            else {
                return
            }
            self.sdk = adapter.run { ITCB_SDK.createInstance(isCentral: false) }
            self.sdk?.localName = self.name
            _ = self.sdk?.addObserver(self)
        }

        func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
            _ = device.sendAnswer("SLUG-ANSWER-0\(question.count % 10)", toQuestion: question)
        }

        func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
            self.onAnswer()
        }

        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {}
    }

    /// The number of times that a ball has come.
    private(set) var arrivals = 0
    /// The number of answers.
    private(set) var answers = 0
    private var balls: [Ball] = []
    /// The first device on the air serves it; this one stays.
    private let server: CBCentralManager?
    private var generator: SeededGenerator

    init(count: Int, seed: UInt64) {
        self.generator = SeededGenerator(seed: seed)
        self.server = (try? BluetoothAdapter("air", configuration: .init(identity: "server"))).map { adapter in
            adapter.run { CBCentralManager() }
        }
        self.balls = (1...count).map { number in
            Ball("Ball \(number)") { [unowned self] in self.answers += 1 }
        }
        for ball in self.balls { self.later(0...3) { self.come(ball) } }
    }

    private func come(_ ball: Ball) {
        self.arrivals += 1
        ball.come()
        self.later(0.3...5) {
            ball.sdk = nil
            self.later(0.1...3) { self.come(ball) }
        }
    }

    private func later(_ seconds: ClosedRange<Double>, _ body: @escaping () -> Void) {
        let time = Double.random(in: seconds, using: &self.generator)
        DispatchQueue.main.asyncAfter(deadline: .now() + time, execute: body)
    }

    /// The keys that a person presses: to choose another ball, ask a question, or clear a line.
    func keys() -> String {
        switch Int.random(in: 0..<6, using: &self.generator) {
        case 0: "\u{1B}[B"
        case 1: "\u{1B}[A"
        case 2: "not this one\u{15}"
        case 3: "\t"
        default: "Will it be number \(self.arrivals)?\r"
        }
    }
}
