// Several notifications in one PDU (Vol 3, Part F, 3.4.7.4).

import Testing

@testable import BluetoothHost

extension GATTServerNotificationsTests {
    private static let scripts = ServerScript.all(
        """
        ## GATT/SR/GAN/BV-02-C Multiple Handle Value Notification
        security encrypted 16
        features 04
        subscribe 0017
        subscribe 002A
        notify 0017 AA
        notify 002A BB CC
        flush
        < 23 17 00 01 00 AA 2A 00 02 00 BB CC
        notify 0017 AA
        flush                                 # one alone is a plain notification
        < 1B 17 00 AA
        flush
        notify 0017 01*5
        notify 0017 02*5
        notify 0017 03*5                      # does not fit any more
        < 23 17 00 05 00 01*5 17 00 05 00 02*5
        flush
        < 1B 17 00 03*5
        notify 0017 01*9
        notify 0017 02*6                      # too long for two in one PDU
        < 1B 17 00 01*9
        flush
        < 1B 17 00 02*6
        notify 0017 01*9
        notify 0017 02*5                      # fills it to the last octet
        flush
        < 23 17 00 09 00 01*9 17 00 05 00 02*5

        ## fills a PDU to the last octet, and not beyond, with two and three notifications (D8)
        features 04
        subscribe 0017
        notify 0017 01*7
        notify 0017 02*7                      # 1 + 11 + 11: the 23 octets of the MTU
        flush
        < 23 17 00 07 00 01*7 17 00 07 00 02*7
        notify 0017 01*7
        notify 0017 02*8                      # one octet more
        < 1B 17 00 01*7
        flush
        < 1B 17 00 02*8
        notify 0017 01*4
        notify 0017 02*3
        notify 0017 03*3                      # 1 + 8 + 7 + 7: 23 octets
        flush
        < 23 17 00 04 00 01*4 17 00 03 00 02*3 17 00 03 00 03*3
        notify 0017 01*4
        notify 0017 02*3
        notify 0017 03*4                      # one octet more
        < 23 17 00 04 00 01*4 17 00 03 00 02*3
        flush
        < 1B 17 00 03*4

        ## batches values of up to 121 octets
        exchange 517
        features 04
        subscribe 0017
        notify 0017 01*121
        notify 0017 02*121
        flush
        < 23 17 00 79 00 01*121 17 00 79 00 02*121
        notify 0017 01*122
        < 1B 17 00 01*122

        ## sends a longer value after the batch
        exchange 517
        features 04
        subscribe 0017
        notify 0017 01
        notify 0017 02*122
        < 1B 17 00 01
        < 1B 17 00 02*122
        notify 0017 03
        notify 0017 04
        notify 0017 05*122
        < 23 17 00 01 00 03 17 00 01 00 04
        < 1B 17 00 05*122
        flush

        ## batches a long value that the MTU cuts to fewer octets
        exchange 100
        features 04
        subscribe 0017
        notify 0017 01*200
        flush
        < 1B 17 00 01*97

        ## sends the batch before a new MTU holds
        features 04
        subscribe 0017
        notify 0017 01
        notify 0017 02
        > 02 64 00
        < 23 17 00 01 00 01 17 00 01 00 02
        < 03 05 02
        ? mtu 100
        flush

        ## sends the batch before Write Responses and error responses
        features 04
        subscribe 0017
        notify 0017 01
        > 12 18 00 01 00
        < 1B 17 00 01
        < 13
        notify 0017 02
        > 0A EE EE
        < 1B 17 00 02
        < 01 0A EE EE 01
        notify 0017 03
        > 12 13 00 AA
        ? write 0013 @0 AA
        ok
        < 1B 17 00 03
        < 13
        flush

        ## sends the batch before indications and read responses, and drops it with the link
        features 04
        subscribe 0017
        subscribe 001A
        notify 0017 01
        notify 001A 02
        < 1B 17 00 01
        < 1D 1A 00 02
        notify 0017 03
        notify 0017 04
        > 0A 10 00
        < 23 17 00 01 00 03 17 00 01 00 04
        < 0B 01 02 03
        flush
        notify 0017 05
        notify 0017 06
        notify 0017 07
        close
        ? dropped 4
        ? unsubscribed 0017
        ? unsubscribed 001A

        ## has a batch for each link, and sends them in the order in which they began
        features 04
        subscribe 0017
        open 2
        features 04
        subscribe 0017
        notify 0017 01
        link 1
        notify 0017 02
        notify 0017 03
        flush
        ? 2: 1B 17 00 01
        < 23 17 00 01 00 02 17 00 01 00 03

        ## drops the notifications of a batch once if the bearer fails
        features 04
        subscribe 0017
        > 0A 13 00
        ? read 0013 @0
        notify 0017 01
        notify 0017 02
        notify 0017 03
        > 0A 13 00
        ? dropped 3
        ? failed requestWhilePending
        flush
        close
        ? unsubscribed 0017

        ## shares no PDU between owners, and counts each PDU for its owner
        subscribe 0017
        features 04
        owner 7
        notify 0017 01
        notify 0017 02
        owner 8
        notify 0017 03
        < 23 17 00 01 00 01 17 00 01 00 02
        ? sent 2 of 7
        notify 0017 04
        notify 0017 05
        owner 7
        notify 0017 06
        < 23 17 00 01 00 03 17 00 01 00 04 17 00 01 00 05
        ? sent 3 of 8
        owner 8
        notify 0017 07
        < 1B 17 00 06
        ? sent 1 of 7
        flush
        < 1B 17 00 07
        ? sent 1 of 8

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
        release
        < 23 17 00 01 00 01 17 00 01 00 02
        < 1D 1A 00 03
        flush
        < 1B 17 00 04
        hold
        release
        flush
        """
    )

    @Test("follows the script for several notifications in one PDU", arguments: Self.scripts)
    func multiple(_ script: ServerScript) throws { try script.run() }
}
