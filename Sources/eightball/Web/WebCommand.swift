// The page's commands: JSON objects, told apart by the key "do".

import Foundation

/// A command of the page.
enum WebCommand: Hashable {
    /// Choose a role.
    case role(isCentral: Bool)
    /// Leave the role.
    case leaveRole
    /// Choose a ball.
    case choose(ball: String)
    /// Ask a ball.
    case ask(ball: String, question: String)
    /// Let a person answer, or stop it.
    case setAnsweredByHand(Bool)
    /// Answer a question; at random if the answer is `nil`.
    case answer(entry: Int, answer: Int?)
    /// Answer a question about a pairing: with a code, or yes or no; without either, the user gives up.
    case pair(number: Int, code: String?, isAgreed: Bool)

    private struct Fields: Decodable {
        let `do`: String
        let role, ball, question, code: String?
        let entry, answer, number: Int?
        let isOn, isAgreed: Bool?
    }

    /// The command in a body; `nil` if it is invalid.
    init?(_ octets: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(octets)) else { return nil }
        switch fields.do {
        case "role":
            guard let role = fields.role, ["central", "peripheral"].contains(role) else { return nil }
            self = .role(isCentral: role == "central")
        case "leave": self = .leaveRole
        case "choose":
            guard let ball = fields.ball else { return nil }
            self = .choose(ball: ball)
        case "ask":
            guard let ball = fields.ball, let question = fields.question else { return nil }
            self = .ask(ball: ball, question: question)
        case "byHand":
            guard let isOn = fields.isOn else { return nil }
            self = .setAnsweredByHand(isOn)
        case "answer":
            guard let entry = fields.entry else { return nil }
            if let answer = fields.answer, !Texts.english.answers.indices.contains(answer) { return nil }
            self = .answer(entry: entry, answer: fields.answer)
        case "pair":
            guard let number = fields.number else { return nil }
            self = .pair(number: number, code: fields.code, isAgreed: fields.isAgreed ?? false)
        default: return nil
        }
    }
}
