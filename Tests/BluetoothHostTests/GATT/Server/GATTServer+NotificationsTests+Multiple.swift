// Several notifications in one PDU (Vol 3, Part F, 3.4.7.4).

import Testing

@testable import BluetoothHost

extension GATTServerNotificationsTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAN/BV-02-C Multiple Handle Value Notification
        security encrypted 16
        features 04
        subscribe 0017
        subscribe 002A
        notify 0017 AA
        notify 002A BB CC
        flush < 23 17 00 01 00 AA 2A 00 02 00 BB CC
        notify 0017 AA
        flush < 1B 17 00 AA                   # one alone is a plain notification
        flush

        ## fills a PDU to the last octet, and not beyond, with two and three notifications (D8)
        features 04
        subscribe 0017
        notify 0017 01*7
        notify 0017 02*7                      # 1 + 11 + 11: the 23 octets of the MTU
        flush < 23 17 00 07 00 01*7 17 00 07 00 02*7
        notify 0017 01*7
        notify 0017 02*8 < 1B 17 00 01*7      # one octet more
        flush < 1B 17 00 02*8
        notify 0017 01*4
        notify 0017 02*3
        notify 0017 03*3                      # 1 + 8 + 7 + 7: 23 octets
        flush < 23 17 00 04 00 01*4 17 00 03 00 02*3 17 00 03 00 03*3
        notify 0017 01*4
        notify 0017 02*3
        notify 0017 03*4 < 23 17 00 04 00 01*4 17 00 03 00 02*3  # one octet more
        flush < 1B 17 00 03*4

        ## batches values of up to 121 octets, and sends a longer value after the batch
        exchange 517
        features 04
        subscribe 0017
        notify 0017 01*121
        notify 0017 02*121
        flush < 23 17 00 79 00 01*121 17 00 79 00 02*121
        notify 0017 03
        notify 0017 01*122 < 1B 17 00 03 < 1B 17 00 01*122

        ## batches a long value that the MTU cuts to fewer octets
        exchange 100
        features 04
        subscribe 0017
        notify 0017 01*200
        flush < 1B 17 00 01*97

        ## sends the batch before every other PDU, and drops it with the link
        features 04
        subscribe 0017
        subscribe 001A
        notify 0017 01
        notify 001A 02 < 1B 17 00 01 < 1D 1A 00 02
        notify 0017 03
        notify 0017 04
        > 0A 10 00 < 23 17 00 01 00 03 17 00 01 00 04 < 0B 01 02 03
        notify 0017 01
        > 0A EE EE < 1B 17 00 01 < 01 0A EE EE 01
        notify 0017 02
        > 02 17 00 < 1B 17 00 02 < 03 05 02
        flush
        notify 0017 05
        notify 0017 06
        notify 0017 07
        close ? dropped 4 ? unsubscribed 0017 ? unsubscribed 001A

        ## drops the notifications of a batch once if the bearer fails
        features 04
        subscribe 0017
        > 0A 13 00 ? read 0013 @0
        notify 0017 01
        notify 0017 02
        notify 0017 03
        > 0A 13 00 ? dropped 3 ? failed requestWhilePending
        flush
        close ? unsubscribed 0017

        ## shares no PDU between owners, and counts each PDU for its owner
        subscribe 0017
        features 04
        owner 7
        notify 0017 01
        notify 0017 02
        owner 8
        notify 0017 03 < 23 17 00 01 00 01 17 00 01 00 02 ? sent 2 of 7
        notify 0017 04
        notify 0017 05
        owner 7
        notify 0017 06 < 23 17 00 01 00 03 17 00 01 00 04 17 00 01 00 05 ? sent 3 of 8
        owner 8
        notify 0017 07 < 1B 17 00 06 ? sent 1 of 7
        flush < 1B 17 00 07 ? sent 1 of 8

        ## batches deferred values, and sends them once
        subscribe 0017
        subscribe 001A
        features 04
        hold
        notify 0017 01
        notify 0017 02
        notify 001A 03
        notify 0017 04
        flush
        release < 23 17 00 01 00 01 17 00 01 00 02 < 1D 1A 00 03
        flush < 1B 17 00 04
        hold
        release
        flush
        """
    )

    @Test("follows the script for several notifications in one PDU", arguments: Self.scripts)
    func multiple(_ script: TitledScript) throws { try script.runOnServer() }
}
