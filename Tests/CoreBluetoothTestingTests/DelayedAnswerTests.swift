// The delay of a scripted answer.

import Testing

@testable import CoreBluetoothTesting

@Suite("The delay of a scripted answer")
struct DelayedAnswerTests {
    @Test("An answer has no delay of its own, and of two delays the last one")
    func last() {
        let answer = ScriptedPeripheral.Answer.success
        #expect(answer.delay == .zero)
        #expect(answer.delayed(by: .seconds(2)).delay == .seconds(2))
        #expect(answer.delayed(by: .seconds(2)).delayed(by: .seconds(3)).delay == .seconds(3))
        #expect(answer.delayed(by: .seconds(2)).delayed(by: .zero).delay == .zero)
    }
}
